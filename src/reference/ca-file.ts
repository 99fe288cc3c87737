import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Writes the authority where CA_FILE can point to it. */
export const writeCaFile = async (ca: string): Promise<{ readonly caFile: string; remove(): Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'reference-service-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, ca);
  return { caFile, remove: () => rm(folder, { recursive: true, force: true }) };
};
