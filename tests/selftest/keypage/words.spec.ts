import { isWanted } from '../../../src/keypage/controls/find-action.js';
import { isReveal, scoreAction, scoreConfirmation } from '../../../src/keypage/reading/control-names.js';
import { candidatesOf, isKeyLike, keyLikeIn } from '../../../src/keypage/reading/key-candidates.js';
import { saysNoKey } from '../../../src/keypage/reading/no-key-words.js';
import { statementsOf, wordingOf } from '../../../src/keypage/reading/page-wording.js';
import type { Piece } from '../../../src/keypage/reading/read-page.js';
import { expect, test } from '../support/test.js';

const piece = (text: string, more: Partial<Piece> = {}): Piece => ({
  text,
  role: 'text',
  visible: true,
  aside: false,
  ...more,
});

test('actions are known by their names', () => {
  for (const name of [
    'Generate API key',
    'generate new API-Key',
    'Regenerate key',
    'Create token',
    'New API key',
    'API-Schlüssel erzeugen',
    'Neuen Schlüssel anlegen',
    'Générer une clé d’API',
    'Créer une nouvelle clé',
    'Generar clave de API',
    'Crear nueva clave',
    'Nieuwe sleutel aanmaken',
    'Delete current API key and generate new one',
    'Aktuellen API-Schlüssel löschen und einen neuen erzeugen',
    'Supprimer la clé d’API actuelle et en générer une nouvelle',
  ])
    expect(scoreAction(name, ''), name).toBeGreaterThan(0);
  for (const name of ['Generate', 'Create new', 'Erzeugen'])
    expect(scoreAction(name, 'API key'), name).toBeGreaterThan(0);
});

test('look-alikes are none', () => {
  for (const name of [
    'Generate refresh token',
    'Delete API key',
    'Revoke key',
    'Copy API key',
    'Show key',
    'How to generate an API key',
    'API key documentation',
    'Create new password',
    'Add SSH key',
    'Generate recovery codes',
    'Create OAuth client token',
    'Log out',
    'Schlüssel löschen',
    'Supprimer la clé',
    'Eliminar clave',
    'Delete the key and create a webhook',
    'Revoke and delete API keys',
    'Copy key and show new',
    'API key',
    '',
  ])
    expect(scoreAction(name, 'API key'), name).toBe(0);
  expect(scoreAction('Create new workout routine', 'API key')).toBe(0);
  expect(scoreAction('Generate', 'Weekly plan')).toBe(0);
  for (const heading of ['SSH keys', 'Recovery codes', 'Webhook secret'])
    expect(scoreAction('Generate key', heading), heading).toBe(0);
  expect(scoreAction('Generate API key', 'Password')).toBeGreaterThan(0);
  expect(scoreAction('Generate key', 'Password and API key')).toBeGreaterThan(0);
});

test('the better name has the higher score', () => {
  const score = (name: string): number => scoreAction(name, 'API key');
  expect(score('Generate API key')).toBeGreaterThan(score('Generate token'));
  expect(score('Create API key')).toBeGreaterThan(score('Get a key'));
  expect(scoreConfirmation('Yes, generate it')).toBeGreaterThan(0);
  for (const name of ['Cancel', 'No, keep it', 'Close', 'Abbrechen', 'Annuler', 'Log out'])
    expect(scoreConfirmation(name), name).toBe(0);
  for (const name of [
    'Request deletion of API key and data',
    'Make API key available to all members',
    'Renew API key subscription',
    'API-Schlüssel erneut sperren, neue Anfrage',
  ])
    expect(score(name), name).toBeLessThan(score('Generate'));
});

test('a confirmation agrees and names nothing else, or names the action', () => {
  for (const name of ['Yes', 'OK', 'Yes, I am sure', 'Confirm', 'Continue', 'I understand', 'Ja, fortfahren', 'Oui'])
    expect(scoreConfirmation(name), name).toBeGreaterThan(0);
  for (const name of ['Yes, create the key', 'Create key', 'Generate anyway', 'Ja, Schlüssel erzeugen'])
    expect(scoreConfirmation(name), name).toBeGreaterThan(0);
  for (const name of [
    'Yes, revoke all keys',
    'Continue with Pro, €9 a month',
    'Yes, sign me up',
    'Yes, delete my account',
    'Add to Slack',
    'Continue setup',
    'Save profile',
  ])
    expect(scoreConfirmation(name), name).toBe(0);
  expect(scoreConfirmation('Yes, create the key')).toBeGreaterThan(
    scoreConfirmation('Create support ticket and new API key request'),
  );
  expect(scoreConfirmation('Generate', 'Backup codes')).toBe(0);
  for (const heading of ['API key', 'Password']) expect(scoreConfirmation('Issue', heading)).toBeGreaterThan(0);
});

test('a control is the one that the setting names, in capitals too', () => {
  for (const [name, wanted] of [
    ['API ANAHTARI OLUŞTUR', 'API anahtarı oluştur'],
    ['SCHLÜSSEL SCHLIESSEN', 'Schlüssel schließen'],
    ['ΝΕΟΣ ΚΩΔΙΚΟΣ', 'Νέος κωδικός'],
  ] as const)
    expect(isWanted(name, wanted), name).toBe(true);
});

test('controls that show a hidden key', () => {
  for (const name of ['Show', 'Show key', 'Reveal', 'Schlüssel anzeigen', 'Afficher la clé', 'Mostrar'])
    expect(isReveal(name), name).toBe(true);
  for (const name of ['Show password', 'View all', 'View docs', 'Generate key', 'Showcase'])
    expect(isReveal(name), name).toBe(false);
});

test('keys are told from placeholders, words and addresses', () => {
  for (const key of [
    'f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be',
    '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ',
    'QmFzZTY0IGlzIG5vdCBlbmNyeXB0aW9u==',
    'aB3dE6gH9jK2mN5p',
    'k3f9a1c07e5b48a2961234567890d1c3b7e824',
    '2026-11-26-f3a9c1d07e5b48a2960fd1c3b7e8',
    'aB3dE6gH9jK2mN5p//rT5vW8xZ1c',
    'tGYCqoLwGE-hlx_yCOf0lA',
    'f+x3i+EFdJiPSJo+I35R/xZSW+5z6Nrl',
    'sk_live_PQdbiNzHtFBybJOWZsHOGy',
  ])
    expect(isKeyLike(key), key).toBe(true);
  for (const text of [
    '1234567890abcde',
    'xxxxxxxxxxxxxxxxxxxx',
    'your-api-key-goes-here',
    'https://example.com/a1b2c3d4e5f6',
    '/api/v2/workout/2024/a1b2c3d4',
    'documentation',
    '2026-11-21T10:08:55Z',
    'aaaaaaaaaaaaaaaa1111',
    'short1',
    'app-f3a9c1d07e5b48a2.js',
    'getPartialAXTreeReturnValue',
    'J25B6-ZNNNW-7TH2S-5KUTF-A8NU8',
  ])
    expect(isKeyLike(text), text).toBe(false);
});

test('keys are found inside what surrounds them', () => {
  const key = 'f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be';
  for (const text of [
    key,
    `"${key}"`,
    `Your key is ${key}.`,
    `Token:${key}`,
    `curl -H 'Authorization: Token ${key}' https://x.test/`,
  ])
    expect(keyLikeIn(text), text).toContain(key);
  // A key may begin or end with the signs that stand around others.
  for (const odd of [`-${key}`, `${key}-`, `/${key}`, `${key}/`, `${key}.`])
    expect(keyLikeIn(`Your key is ${odd}`), odd).toContain(odd);
  expect(keyLikeIn(`${key.slice(0, 12)}...`)).toEqual([]);
  expect(keyLikeIn(`${key.slice(0, 12)}••••••`)).toEqual([]);
});

test('what is a part of something longer, or named as something else, is no evidence', () => {
  const key = 'f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be';
  const telling = (...pieces: Piece[]): (string | undefined)[] =>
    candidatesOf(pieces).flatMap(({ value, doubtful }) => (doubtful ? [] : [value]));
  expect(telling(piece(key))).toEqual([key]);
  expect(telling(piece(`Your key is ${key}.`))).toEqual([`${key}.`]);
  expect(telling(piece(`ada@service/${key}`))).toEqual([]);
  expect(telling(piece(`https://x.test/?a=${key}&page=2`))).toEqual([]);
  expect(telling(piece('Reference:'), piece(key, { role: 'code' }))).toEqual([]);
  expect(telling(piece('API key:'), piece(key, { role: 'code' }))).toEqual([key]);
});

test('the likeliest text comes first', () => {
  const [key, build, refresh] = [
    'f3a9c1d07e5b48a2960fd1c3b7e8245a6d90f1be',
    'b9c8a7d6e5f40312',
    '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c',
  ];
  const candidates = candidatesOf([
    piece(`Your refresh token: ${refresh}`),
    piece('API key', { role: 'heading' }),
    piece(key, { role: 'code' }),
    piece(`Build ${build}`, { aside: true }),
  ]);
  expect(candidates[0]?.value).toBe(key);
  expect(candidates.map(({ value }) => value)).toContain(build);
});

test('messages that no key exists', () => {
  for (const text of [
    'No API key exists yet.',
    'No tokens yet',
    'No keys so far.',
    'No API key found for this account.',
    'You don’t have an API key yet',
    'You haven’t got any API key. Generate one below!',
    'You have not generated a key.',
    'You have no API key',
    'You currently have no API key, and may generate one.',
    'There is no key for this account yet.',
    'No key has been created',
    '— no key has been generated —',
    'An API key does not exist yet.',
    'Your API key has not been created yet.',
    'API key: none',
    'Du hast noch keinen API-Schlüssel.',
    'Es existiert noch kein Schlüssel.',
    'Sie haben noch keinen API-Schlüssel erzeugt.',
    'Ihr Schlüssel wurde noch nicht erzeugt.',
    'Aucune clé',
    'Aucune clé d’API n’existe pour l’instant.',
    'Vous n’avez pas encore de clé d’API.',
    'Votre clé n’a pas encore été générée.',
    'Todavía no tienes ninguna clave de API.',
    'No tienes claves de API.',
    'Aún no has generado una clave.',
    'Non hai ancora una chiave API.',
    'Você ainda não tem uma chave de API.',
    'APIキーはまだありません。',
    'まだAPIキーがありません。',
    '您还没有 API 密钥。',
    'API 키가 아직 없습니다.',
    'Hi Ada, you have no API key yet.',
    'ℹ️ You have no API key yet.',
    'Ada, there is no key for your account.',
    'No momento você não possui nenhuma chave de API.',
    'Op dit moment heb je geen API-sleutel.',
    '현재 등록된 API 키가 없습니다.',
    '現在、有効なAPIキーはありません。',
  ])
    expect(saysNoKey(text), text).toBe(true);
  for (const text of [
    'You need no API key for public resources.',
    'Do not share your key.',
    'Keep your API key secret.',
    'Your API key',
    'Generate an API key to use the API.',
    'You don’t have to create an API key.',
    'You cannot create an API key.',
    'If you have no API key, generate one.',
    'No API key, no account needed.',
    'No API key, no problem.',
    'You can read exercises with no key.',
    'Kein Schlüssel und kein Konto nötig.',
    'Don’t have an API key? Generate one.',
    'You have not created a workout yet.',
    'You have not created any webhooks yet.',
    'You have no SSH key yet.',
    'You have never made an API call with us.',
    'Your API key has been created and is active. It is not set to expire.',
    'No API key expires before 90 days.',
    'No credit card key data exists.',
    'Your plan has no API key limit.',
    'Your API key has not been revoked.',
    'Free plans have no API key.',
    'Without a subscription there is no API key.',
    'Because there is no API key, the exercises are open to all.',
    'API key not found in request.',
    'Your API key was not created by mistake.',
    'Keys do not exist for free plans.',
    'Teilen Sie keinen API-Schlüssel.',
    'Wir speichern keine API-Schlüssel.',
    'Keine Schlüssel wurden gelöscht.',
    'Ne partagez aucune clé API.',
    'Sans abonnement, aucune clé API.',
    'No compartas ninguna clave API.',
    'Non condividere nessuna chiave API.',
    'Deel geen API-sleutels.',
    '有効期限切れのAPIキーはありません。',
    '만료된 API 키가 없습니다.',
    '免费用户没有API密钥。',
    'Your API key could not be loaded because it does not exist in the cache.',
    'Nothing to pay.',
    'None yet',
    'Ihr Abo ist noch nicht bezahlt.',
    'Kein Schlüssel läuft vor 90 Tagen ab.',
    'Sie benötigen keinen Schlüssel.',
    'Il n’y a pas de frais pour ce service.',
    'Vous n’avez pas besoin de clé.',
    'Aucune clé n’expire avant 90 jours.',
    'No hay costes para este servicio.',
    'No necesitas ninguna clave.',
    'APIキーに制限はありません。',
    'APIキーは必要ありません。',
  ])
    expect(saysNoKey(text), text).toBe(false);
});

test('“None yet” says so below what names a key', () => {
  const denying = (...labels: Piece[]): readonly string[] => wordingOf([...labels, piece('None yet.')]).saysNone;
  const heading = (text: string): Piece => piece(text, { role: 'heading' });
  expect(denying(heading('API keys'), heading('Name'), heading('Created'))).toEqual(['None yet.']);
  expect(denying(heading('API key'), piece('Keep it secret.'))).toEqual(['None yet.']);
  expect(denying(piece('Token:'))).toEqual(['None yet.']);
  expect(denying()).toEqual([]);
  expect(denying(heading('API key'), piece('Keep it secret.'), heading('Webhooks'))).toEqual([]);
  expect(denying(heading('API key'), piece('Webhooks:'))).toEqual([]);
});

test('only running text can be the message', () => {
  expect(
    statementsOf([
      piece('No API key exists yet.'),
      piece('Generate API key', { role: 'control' }),
      piece('curl -H "Authorization: Token 1234567890abcde..."', { role: 'code' }),
      piece('Use curl -H "Authorization: Token 1234567890abcde..."'),
      piece('hidden', { visible: false }),
      piece('Settings', { aside: true }),
      piece('API key', { role: 'heading' }),
    ]),
  ).toEqual(['No API key exists yet.']);
});
