import { startReference } from '../../../src/reference/index.js';
import { withFiles } from '../support/documents.js';
import { judgeRunning } from '../support/judge.js';
import { expect, inCi, test } from '../support/test.js';

const identities = `- { name: me }
- { name: ada, keys: { apiKey: { variable: KEY_OF_ADA } }, peers: [me] }
- { name: ben, keys: { apiKey: { variable: KEY_OF_BEN } } }
`;
const others = { KEY_OF_ADA: 'ada-key-7c1e0d5b9f2a4468', KEY_OF_BEN: 'ben-key-02d9e6a1b75c4f83' };

test(
  'the shipped contract with three identities: whose workouts they get is observed, and costs four requests each',
  inCi,
  async () => {
    const service = await startReference({
      pages: (keys) => {
        keys.set(others.KEY_OF_ADA, 'ada');
        keys.set(others.KEY_OF_BEN, 'ben');
        return () => false;
      },
    });
    try {
      const one = await judgeRunning(service, { settings: { PROBES: 'standard' } });
      const three = await withFiles({ 'identities.yaml': identities }, (path) =>
        judgeRunning(service, { settings: { PROBES: 'standard', IDENTITIES: path('identities.yaml'), ...others } }),
      );
      expect(three.results.verdict).toBe('conformant');
      expect(three.results.requestsSent).toBe(one.results.requestsSent + 8);
      expect(three.check('observes-ownership@listWorkouts').outcome).toBe('observed');
      const gap = three.results.gaps.find(({ id }) => id === 'GAP-OWNERSHIP');
      expect(gap?.observations.map(({ fact }) => fact).join(' ')).toContain('ada');
    } finally {
      await service.close();
    }
  },
);
