/** Names of members and words of values, as services of several languages have them. */

/** What a member may mean, in the order of `Language.members`. */
const concepts = [
  'id',
  'name',
  'note',
  'date',
  'created',
  'weight',
  'count',
  'active',
  'owner',
  'email',
  'kind',
  'url',
  'tags',
  'sets',
  'price',
  'views',
  'total',
  'items',
  'rows',
  'message',
  'code',
  'success',
] as const;
export type Concept = (typeof concepts)[number];

export interface Language {
  readonly members: readonly string[];
  /** Single words. */
  readonly words: readonly string[];
  readonly sentences: readonly string[];
  /** How a refusal is worded. */
  readonly refusals: readonly string[];
}

const english: Language = {
  members:
    'id name note date created weight count active owner email kind url tags sets price views total items workouts message code success'.split(
      ' ',
    ),
  words: ['Squat', 'Bench', 'Row', 'Deadlift', 'Run', 'Swim', 'Plank', 'Curl', 'Lunge', 'Press', 'Bike', 'Rest'],
  sentences: [
    'Felt strong today',
    'Slow pace in the rain',
    'New best on the bench',
    'Left knee hurts a little',
    'With Anna in the park',
    'Skipped the last set',
    'Morning session before work',
    'Easy recovery day',
  ],
  refusals: [
    'Authentication credentials were not provided.',
    'Invalid API key',
    'Unauthorized',
    'Please sign in to continue',
    'Access denied',
    'Your session has expired.',
    'No permission to view this resource',
  ],
};

const german: Language = {
  members:
    'kennung bezeichnung notiz datum erstellt gewicht anzahl aktiv besitzer epost art verweis schlagworte durchgaenge preis aufrufe gesamt eintraege trainings meldung kode erfolg'.split(
      ' ',
    ),
  words: ['Kniebeuge', 'Rudern', 'Laufen', 'Schwimmen', 'Liegestütz', 'Kreuzheben', 'Radfahren', 'Pause', 'Dehnen'],
  sentences: [
    'Heute lief es gut',
    'Im Regen etwas langsam',
    'Linkes Knie zwickt',
    'Neue Bestleistung',
    'Vor der Arbeit trainiert',
    'Mit Anna im Park',
  ],
  refusals: ['Bitte melden Sie sich an', 'Zugriff verweigert', 'Ungültiger Schlüssel', 'Nicht angemeldet'],
};

const spanish: Language = {
  members:
    'clave nombre nota fecha creado peso cantidad activo propietario correo tipo enlace etiquetas series precio vistas totales elementos entrenamientos mensaje codigo exito'.split(
      ' ',
    ),
  words: ['Sentadilla', 'Remo', 'Correr', 'Nadar', 'Plancha', 'Zancada', 'Bicicleta', 'Descanso'],
  sentences: ['Hoy me sentí fuerte', 'Un poco lento', 'Mejor marca personal', 'Antes del trabajo', 'Día de descanso'],
  refusals: ['No autorizado', 'Debe iniciar sesión', 'Acceso denegado', 'La clave no es válida'],
};

const japanese: Language = {
  members:
    '番号 名前 メモ 日付 作成日 重量 回数 有効 所有者 メール 種類 リンク タグ セット 価格 閲覧 合計 項目 記録 伝言 符号 成功'.split(
      ' ',
    ),
  words: ['スクワット', '水泳', '走る', '懸垂', '休み', '自転車', '腕立て'],
  sentences: ['今日は調子が良い', '雨で遅かった', '自己最高記録', '仕事の前に', '膝が少し痛い'],
  refusals: ['認証が必要です', 'ログインしてください', 'アクセスが拒否されました'],
};

const russian: Language = {
  members:
    'номер имя заметка дата создано вес число активно владелец почта вид ссылка метки подходы цена просмотры всего записи тренировки сообщение код успех'.split(
      ' ',
    ),
  words: ['Приседание', 'Бег', 'Плавание', 'Планка', 'Отдых', 'Гребля', 'Жим'],
  sentences: ['Сегодня хорошо', 'Медленно под дождём', 'Личный рекорд', 'Перед работой', 'Болит колено'],
  refusals: ['Требуется вход', 'Доступ запрещён', 'Неверный ключ'],
};

/** Members of data that are called as others call those of an error. */
const errorLike: Language = {
  ...english,
  members:
    'code title detail timestamp status value severity fatal source contact type href errors reasons cost hits count error results reason errno ok'.split(
      ' ',
    ),
  words: ['Error', 'Warning', 'Denied', 'Forbidden', 'Failure', 'Invalid', 'Notice', 'Fatal'],
  sentences: [
    'Access denied at gate 4',
    'Not authorized by reviewer',
    'Login failed twice',
    'Invalid token in slot',
    'Permission missing on disk',
    'Please log in again',
  ],
};

const short: Language = {
  ...english,
  members: 'i n o d c w q a u e k l t s p v z x r m y b'.split(' '),
};

export const languages = { english, german, spanish, japanese, russian, errorLike, short } as const;
export type LanguageName = keyof typeof languages;

export type NameOf = (concept: Concept) => string;

/** `camel`: names get another style of writing. */
export const namesIn =
  (language: Language, prefix = ''): NameOf =>
  (concept) => {
    const name = language.members[concepts.indexOf(concept)] ?? concept;
    return prefix === '' ? name : `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  };
