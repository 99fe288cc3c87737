import { loadContract } from '../../../src/contract/load.js';
import { asset } from '../../../src/package.js';
import { expect, test } from '../support/test.js';

test('the shipped contract says who may read what, and nothing about answers', async () => {
  const contract = await loadContract(asset('openapi', 'fitness-data-service.yaml'));
  expect(contract.operations.map(({ id, access, target }) => [id, access, target])).toEqual([
    ['listWorkouts', 'protected', '/api/v2/workout/'],
    ['listExercises', 'public', '/api/v2/exercise/'],
    ['listIngredients', 'public', '/api/v2/ingredient/'],
  ]);
});
