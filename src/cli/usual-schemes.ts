/** A security scheme that many services have. */
export interface UsualScheme {
  /** How the key travels. */
  readonly words: string;
  /** A Security Scheme Object of OpenAPI. */
  readonly definition: object;
}

/** In the order in which they are tried, and offered. */
export const usualSchemes: readonly UsualScheme[] = [
  { words: 'Authorization: Bearer <key>', definition: { type: 'http', scheme: 'bearer' } },
  {
    words: 'Authorization: Token <key>',
    definition: {
      type: 'apiKey',
      in: 'header',
      name: 'Authorization',
      'x-access-credential': { scheme: 'Token', separator: ' ' },
    },
  },
  { words: 'X-API-Key: <key>', definition: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
];
