import { plainWords } from '../../words.js';

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
/** Words that may follow if the verb has said everything. */
const over = then(`${later}|${toYou}|by you`);

const german = '(?:api[ -])?(?:[\\w-]*-)?(?:\\w*schlussel|keys?|tokens?)(?![\\w-])';
const germanState =
  'vorhanden|erzeugt|erstellt|angelegt|generiert|hinterlegt|gefunden|verfugbar|eingerichtet|aktiv|gespeichert|zugeordnet|beantragt';
const germanAfter = then(`${germanState}|fur|bisher|und|oder|aber|wurden? (?:\\w+ )?(?:${germanState})`);

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
  `\\b${key} (?:for \\w+ \\w+ )?(?:does not|doesn't|do not|don't)(?: yet| currently)? exist${over}`,
  `\\b${key} (?:for \\w+ \\w+ )?(?:(?:has|have|was|were|is|are) )?(?:not|never|hasn't|haven't|wasn't|isn't)(?: been| yet)* (?:${made})${over}`,
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
  `\\b${spanish} (?:para \\w+ \\w+ )?(?:aun |todavia )?no (?:existe|se ha (?:creado|generado))${then('todavia|aun|para')}`,
  `\\bnon (?:hai|ha|esiste|e presente|e stata creata) (?:ancora )?(?:creato |generato )?(?:una |alcuna |nessuna )?chiave${then('api|di accesso|per')}`,
  `\\bnessuna chiave${then('api|trovata|presente|disponibile|creata|generata')}`,
  `\\bnao (?:tem|tens|ha|existe|possui) (?:ainda )?(?:uma |nenhuma )?chave${then('de api|de acesso|api|ainda|para')}`,
  `\\bnenhuma chave${then('de api|api|encontrada|criada|gerada|disponivel')}`,
  `\\bgeen (?:api-?)?(?:sleutels?|keys?|tokens?)${then('gevonden|aangemaakt|beschikbaar|voor')}`,
].map((way) => new RegExp(way, 'u'));

/** Languages that are written without blanks, or change what follows a noun. */
const unspaced: readonly RegExp[] = [
  /(?:^|[、。\s]|まだ|現在|有効な|(?:あなた|お客様|アカウント|ユーザー)の)(?:API|アクセス|\s)*(?:キー|鍵|トークン)[はがも]?、?(?:まだ|ひとつも|一つも)?(?:(?:作成|発行|生成|登録)されて(?:い)?ません|存在しません|ありません|ない|未(?:作成|発行|生成|登録))(?=$|[。.!！、\s])/,
  /(?:^|[，,。\s]|[您你]|[目当當]前|[账帐帳][户戶号號])(?:没有|沒有|暂无|暫無|尚无|尚無|(?:尚未|还未|還未|还没有|還沒有)(?:创建|建立|生成|產生)?)(?:任何|可用的?)?\s*(?:API|访问|存取)?\s*(?:密钥|密鑰|金鑰|令牌|Key|Token)(?=$|[。.!！，,\s])/i,
  /(?:密钥|密鑰|金鑰|令牌)(?:不存在|尚未(?:创建|建立|生成|產生))/,
  /^(?:(?:아직|현재|생성된|등록된|발급된|API|액세스|접근|이|계정에는?) ?)*(?:키|토큰)[가이]? ?(?:아직 )?(?:없습니다|없음|생성되지 않았습니다)/,
];

/**
 * Words that may stand in front of a denial: they name the user, an account or nobody, or a time.
 * Behind any other, it is about others, a condition, or what is done with keys.
 */
const neutral = new Set(
  [
    "you your you've we it seems looks like that there there's this the an a any hi hello for in on at as of moment right now today currently still yet so far user account profile project workspace app application api access personal key keys token tokens and but is are has have had been do does did also just",
    'du sie ihr ihre besitzt besitzen ihrem ihren dein deine deinem es ist sind gibt hast haben hat existiert existieren wurde wurden noch bisher bislang derzeit aktuell momentan zurzeit im leider fur diesen dieses dieser diesem konto benutzer profil hier und aber',
    "vous tu votre ton il ne n'avez n'as n'a n'existe n'y pour ce cet compte utilisateur l'instant le encore actuellement avez as y possedez disposez existe dans sur et mais",
    'no tienes tiene tenemos hay existen se ha han creado generado encontrado todavia aun usted tu su cuenta esta para actualmente por el momento dispones dispone de pero',
    "non hai esiste c'e e presente ancora stata creata tuo account per nel questo al ma nao voce tem tens existe possui ainda sua conta nesta foi criada",
    'u je op heb hebt heeft er zijn nog momenteel op dit voor uw jouw maar',
  ].flatMap((words) => words.split(' ')),
);

/** Before a comma or a colon, one other word may stand, such as a name. */
const isNeutral = (front: string): boolean =>
  front.split(/[,:;–—]/).every((part, index, parts) => {
    const others = (part.match(/[\p{L}\d']+/gu) ?? []).filter((word) => !neutral.has(word));
    return others.length <= (index < parts.length - 1 ? 1 : 0);
  });

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
    // A picture before the words is none of them, though ℹ is a letter to Unicode.
    const words = plainWords(sentence.replace(/\p{Extended_Pictographic}/gu, ' '));
    if (none.test(bare(words))) return namesKey.test(plainWords(label));
    const isDenied = (way: RegExp): boolean => {
      const found = way.exec(words);
      return found !== null && isNeutral(words.slice(0, found.index));
    };
    const isInWords = namesKey.test(words) && !aboutNeed.test(words) && denials.some(isDenied);
    return isInWords || unspaced.some((way) => way.test(sentence.normalize('NFC')));
  });
