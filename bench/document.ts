/** An OpenAPI document with as many protected and public operations as `server.ts` serves. */
export const documentOf = (operationsOfEachAccess: number): string => {
  const operation = (name: string, security: object[]) => ({
    get: { operationId: name, security, responses: { default: { description: 'Not said.' } } },
  });
  const indices = Array.from({ length: operationsOfEachAccess }, (_, index) => index);
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Bench', version: '1' },
    paths: Object.fromEntries(
      indices.flatMap((index) => [
        [`/api/v2/kept${index}/`, operation(`kept${index}`, [{ key: [] }])],
        [`/api/v2/open${index}/`, operation(`open${index}`, [])],
      ]),
    ),
    components: {
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          'x-access-credential': { scheme: 'Token', separator: ' ' },
        },
      },
    },
  });
};
