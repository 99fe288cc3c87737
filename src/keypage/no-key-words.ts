import { plainWords } from '../words.js';

/**
 * Sentences that deny that a key exists, in plain words. In each language a negation and the noun
 * are both asked for, and what follows the noun must not be another noun: "no key limit" denies no
 * key.
 */

/** The end of the noun: a sign, the end, or one of some words. */
const then = (words: string): string => `(?=$| ?[.,;:!()]| [–—-] | (?:${words})\\b)`;

const made = 'created|generated|made|issued|found|set( up)?|configured|registered|defined|added|requested';
const anyOf = 'api|access|personal|current|active|valid|auth\\w*|secret|private|service|such|other|existing|more|user';
/** The noun, without a word that names another kind of key, such as “webhook”. */
const key = `(?:(?:${anyOf})[ -])*(?:(?:\\w+ )?api[ -]?(?:access[ -])?)?(?:key|token)(?:s|\\(s\\))?`;
const state = `(?:(?:has|have|had|was|were|is|are) )?(?:yet )?(?:been )?(?:${made}|available|there|assigned|associated|here)`;
const later = 'yet|so far|now|right now|currently|today|at (?:the|this) moment|exists?|existing|present|on file';
const toYou = '(?:for|in|on) (?:this|your|the) (?:user|account|profile|project|workspace|app|application)';
const after = then(`${later}|${state}|${toYou}|for|and|or|but|associated|assigned|to show`);

const german = '(?:api[ -])?(?:[\\w-]*-)?(?:\\w*schlussel|keys?|tokens?)(?![\\w-])';
const germanState =
  'vorhanden|erzeugt|erstellt|angelegt|generiert|hinterlegt|gefunden|verfugbar|eingerichtet|aktiv|gespeichert|zugeordnet|beantragt';
const germanAfter = then(`${germanState}|fur|bisher|und|oder|aber|wurden?`);

const french = "(?:cles?|jetons?|tokens?)(?: (?:d'|de l')?(?:api|acces)(?: api)?)?";
const frenchState = 'existe|existante?s?|creee?s?|generee?s?|trouvee?s?|disponibles?|enregistree?s?|associee?s?';
const frenchAfter = then(
  `n'existe|n'a (?:encore )?ete|n'est (?:encore )?(?:${frenchState})|${frenchState}|pour|actuellement|a ce jour|et|ou`,
);

const spanish = '(?:claves?|llaves?|tokens?|api keys?)(?: (?:de |del )?(?:la )?(?:api|acceso)(?: api)?)?';
const spanishState = 'existe|creadas?|generadas?|encontradas?|disponibles?|registradas?|asociadas?|configuradas?';
const spanishAfter = then(`${spanishState}|todavia|aun|para|por el momento|y|o|en (?:esta|su|tu) cuenta`);

const denials: readonly RegExp[] = [
  `\\b(?:have|has|is|are|exists?|found|got|currently|yet|still|there'?s|see) (?:currently |yet |still )?no ${key}${after}`,
  `^[^\\p{L}]*no ${key}(?=$| ?[.;:!()]| [–—-] | (?:${later}|${state}|${toYou})\\b)`,
  `(?:\\bnot|n't|\\bnever) (?:yet |currently |already |ever )?(?:had|have|has|got|own|${made})(?: got| yet)? (?:an? |any |your |the |one of )?${key}${after}`,
  `(?:did not|didn't) (?:yet )?(?:create|generate|make|have|request) (?:an? |any |your )?${key}${after}`,
  `\\b${key} (?:for \\w+ \\w+ )?(?:does not|doesn't|do not|don't)(?: yet| currently)? exist\\b`,
  `\\b${key} (?:for \\w+ \\w+ )?(?:(?:has|have|was|were|is|are) )?(?:not|never|hasn't|haven't|wasn't|isn't)(?: been| yet)* (?:${made})\\b`,
  `\\b${key}(?: ?[:–—-])? (?:none|not set)(?: yet)?(?=$|[.!])`,
  `(?:is|are|still|currently) without an? ${key}${after}`,
  `\\bkein(?:e|en|er|es)? (?:\\w+e[nrs]? )?${german}${germanAfter}`,
  `${german} (?:fur \\w+ \\w+ )?(?:(?:ist|sind|wurden?|existier(?:t|en)) )?(?:bisher |derzeit )?(?:noch )?nicht (?:${germanState})`,
  `${german} (?:fur \\w+ \\w+ )?existier(?:t|en) (?:noch |bisher )*nicht`,
  `\\baucune? (?:autre )?${french}${frenchAfter}`,
  `\\bpas (?:encore |actuellement )?(?:cree |genere |obtenu )?(?:de |d'(?:une? |autre )?|une? )${french}${frenchAfter}`,
  `\\b${french} (?:pour \\w+ \\w+ )?n'(?:existe pas|a pas (?:encore )?ete (?:${frenchState}))`,
  `\\bning(?:un|una) ${spanish}${spanishAfter}`,
  `\\bno (?:hay|existen?|tienes?|tiene|tenemos|has|ha|se han?) (?:creado |generado |encontrado )?(?:aun |todavia )?(?:una? |ninguna? )?${spanish}${spanishAfter}`,
  `\\b${spanish} (?:para \\w+ \\w+ )?(?:aun |todavia )?no (?:existe|se ha (?:creado|generado))`,
  `\\bnon (?:hai|ha|esiste|e presente|e stata creata) (?:ancora )?(?:creato |generato )?(?:una |alcuna |nessuna )?chiave${then('api|di accesso|per')}`,
  `\\bnessuna chiave${then('api|trovata|presente|disponibile|creata|generata')}`,
  `\\bnao (?:tem|tens|ha|existe|possui) (?:ainda )?(?:uma |nenhuma )?chave${then('de api|de acesso|api|ainda|para')}`,
  `\\bnenhuma chave${then('de api|api|encontrada|criada|gerada|disponivel')}`,
  `\\bgeen (?:api-?)?(?:sleutels?|keys?|tokens?)${then('gevonden|aangemaakt|beschikbaar|voor')}`,
].map((way) => new RegExp(way, 'u'));

/** Languages that are written without blanks, or change what follows a noun. */
const unspaced: readonly RegExp[] = [
  /(?:キー|鍵|トークン)[はがも]?、?(?:まだ|ひとつも|一つも)?(?:(?:作成|発行|生成|登録)されて(?:い)?ません|存在しません|ありません|ない|未(?:作成|発行|生成|登録))(?=$|[。.!！、\s])/,
  /(?:没有|沒有|暂无|暫無|尚无|尚無|(?:尚未|还未|還未|还没有|還沒有)(?:创建|建立|生成|產生)?)(?:任何|可用的?)?\s*(?:API|访问|存取)?\s*(?:密钥|密鑰|金鑰|令牌|Key|Token)(?=$|[。.!！，,\s])/i,
  /(?:密钥|密鑰|金鑰|令牌)(?:不存在|尚未(?:创建|建立|生成|產生))/,
  /(?:키|토큰)[가이]? ?(?:아직 )?(?:없습니다|없음|생성되지 않았습니다)/,
];

/** Words in front of a denial that make the sentence a need or a condition. */
const notSaid =
  /\b(need\w*|share|if|when|whenever|unless|until|where|brauch\w*|wenn|falls|solange|besoin|necesit\w*|cuando|quand)\b|^(si|se) /;

const aboutNeed =
  /\b(need(?:ed|s)|requir(?:e|es|ed)|necessary|optional|benotigt|benotigen|notig|erforderlich|necessaires?|requise?s?|necesari[oa]s?)\b/;

const none =
  /^(none|nothing|not)( (here|there|created|generated|set|found|available|configured|exists?))?( (yet|so far|at the moment|currently))?$/;

const namesKey =
  /\b(?:api)?(keys?|tokens?|cles?|jetons?|claves?|llaves?|chiav[ei]|chaves?)\b|schlussel|sleutel|キ|鍵|密[钥鑰]|金鑰/u;

const bare = (words: string): string => words.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

export const sentencesOf = (text: string): string[] => text.split(/(?<=[.!?])\s+/);

/**
 * Whether a sentence of a text says, in so many words, that no key exists. A question does not.
 * @param label the heading or label above: below one that names a key, "None yet" is enough
 */
export const saysNoKey = (text: string, label = ''): boolean =>
  text.length <= 300 &&
  sentencesOf(text).some((sentence) => {
    if (/\?\s*$/.test(sentence)) return false;
    const words = plainWords(sentence);
    if (none.test(bare(words))) return namesKey.test(plainWords(label));
    const isDenied = (way: RegExp): boolean => {
      const found = way.exec(words);
      return found !== null && !notSaid.test(words.slice(0, found.index));
    };
    const isInWords = namesKey.test(words) && !aboutNeed.test(words) && denials.some(isDenied);
    return isInWords || unspaced.some((way) => way.test(sentence.normalize('NFC')));
  });
