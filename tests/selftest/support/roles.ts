import { asset } from '../../../src/package.js';
import type { RolesService } from '../../../src/reference/index.js';

/** Settings of a run, or of doctor, with the identities of docs/examples. */
export const settingsOfRoles = ({
  service: { baseUrl, httpBaseUrl, caFile },
  variables,
}: RolesService): Record<string, string> => ({
  BASE_URL: baseUrl,
  HTTP_BASE_URL: httpBaseUrl,
  CA_FILE: caFile,
  CONTRACT: asset('openapi', 'accounts-and-roles.yaml'),
  IDENTITIES: asset('docs', 'examples', 'identities.yaml'),
  ...variables,
});
