import { plainWords } from '../../words.js';
import { createPhrases } from './log-in-phrases.js';

/** What names of controls mean, in several languages. Scores are comparable within one function. */

const verbs: readonly (readonly [score: number, words: RegExp])[] = [
  [
    4,
    /\b(re)?generat(e|ing)\b|\b(neu )?(generieren|erzeugen)\b|\bgenerer\b|\bgenerar\b|\bgenera\b|\bgerar\b|\bgenereren\b/,
  ],
  [3, /\b(create|make|issue|new|add|renew|rotate|reissue)\b|\b(erstellen|anlegen|neue[rns]?|erneuern|hinzufugen)\b/],
  [
    3,
    /\b(creer|nouvelle|ajouter|renouveler)\b|\b(crear|nueva|anadir|renovar)\b|\b(crea|nuova|criar|nova|aanmaken|nieuwe)\b/,
  ],
  [
    2,
    /\b(request|get|obtain|reset|replace)\b|\b(anfordern|zurucksetzen)\b|\b(obtenir|demander)\b|\b(obtener|solicitar)\b/,
  ],
];

/** The score of a noun that names the API. */
const ofApi = 5;

const nouns: readonly (readonly [score: number, words: RegExp])[] = [
  [
    ofApi,
    /\bapi[ -_]?(access )?(key|token|schlussel)\b|\bcle (d'|de l'|de )?api\b|\b(clave|llave|token) (de |del )?(la )?api\b|\bchia?ve api\b/,
  ],
  [3, /\bkeys?\b|schlussel\b|\bcles?\b|\bclaves?\b|\bllaves?\b|\bchiave\b|\bchave\b|\bsleutel\b/],
  [2, /\btokens?\b|\bjetons?\b/],
];

const shows = /\b(show|reveal|view|afficher|mostrar)\b|anzeigen|einblenden/;

/** Words of controls that delete, revoke or end something. */
const ends =
  /\b(delete|remove|revoke|disable|deactivate|invalidate|destroy|log ?out|sign ?out)\b|loschen|entfernen|widerrufen|deaktivieren|abmelden|\b(supprimer|revoquer|desactiver|eliminar|borrar|revocar|desactivar|elimina|rimuovi|revoca|excluir|remover|revogar|verwijderen|intrekken)\b/;

/** Words of controls that change something that exists, or lead elsewhere. */
const others =
  /\b(refresh|copy|hide|docs?|documentation|learn|how to|help|what is|password|ssh|gpg|pgp|webhook|oauth|client|recovery|backup|license|licence|public|session|csrf|device|invite|download|export|edit|rename|cancel)\b|kopieren|passwor[dt]|kennwort|\b(copier|mot de passe|copiar|contrasena)\b/;

export const passwordWords = /passwor[dt]|kennwort|mot de passe|contrasena/g;

const isElsewhere = (words: string): boolean => shows.test(words) || ends.test(words) || others.test(words);

/** Whether the name of a control says that it deletes, revokes or ends something. */
export const endsSomething = (name: string): boolean => ends.test(plainWords(name));

/** Whether a control is known neither to show nor to make a key. */
export const isOther = (name: string): boolean => {
  const words = plainWords(name);
  return ends.test(words) || others.test(words) || no.test(words);
};

const best = (of: readonly (readonly [number, RegExp])[], name: string): number =>
  of.find(([, words]) => words.test(name))?.[0] ?? 0;

/** The part that makes something: "generate new one" in "Delete the key and generate new one". */
const makingPart = (words: string): string => {
  if (!isElsewhere(words)) return words;
  const parts = words.split(/ (?:and|und|et|y|e|en)(?: then)? | & /);
  return parts.findLast((part) => best(verbs, part) > 0 && !isElsewhere(part)) ?? '';
};

export const namesKey = (text: string): boolean => best(nouns, plainWords(text)) > 0;

/** Words around a verb and a noun that do not change what is made. */
const filler =
  /^(an?|the|my|your|our|another|one|first|next|personal|api|access|secret|private|of|for|to|with|and|this|it|account|app|application|user|now|here|ein|eine[nrms]?|den|die|das|mein|meine[nr]?|fur|und|une?|nouveau|le|la|les|ma|mon|votre|de|du|pour|una|mi|tu|el|del|para|il|lo|uma?|een|het|mijn)$/;

/** Whether a name has more than a verb that makes, a noun for a key, and fillers. */
export const namesMore = (name: string): boolean =>
  plainWords(name)
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => /\p{L}{2}/u.test(word) && !filler.test(word) && best(verbs, word) === 0 && best(nouns, word) === 0);

/**
 * Deducted from the score for further words: "Generate" ranks above "Renew API key subscription".
 */
const forMore = 5;

/**
 * The score of a control as the action that makes a key; 0 if it is not.
 * @param context the heading or label above it. It may have the noun that "Generate" lacks, or name
 * another kind of key
 * @param section the heading above it, which may have the noun too
 */
export const scoreAction = (name: string, context: string, section = ''): number => {
  const words = plainWords(name);
  if (words === '' || words.length > 80) return 0;
  const verb = best(verbs, makingPart(words));
  if (verb === 0) return 0;
  const noun = best(nouns, words);
  const score = verb + 2 * noun - (namesMore(name) ? forMore : 0);
  if (noun === ofApi) return score;
  const around = plainWords(context);
  const nounAround = best(nouns, around);
  // "Generate key" below "SSH keys" makes another key; below "Password and API key" it may make
  // one.
  if (noun > 0) return isElsewhere(around) && nounAround < ofApi ? 0 : score;
  // Only a single verb takes the noun of the heading: "New record" below an API heading makes no
  // key.
  if (words.split(' ').length > 2 || isElsewhere(around)) return 0;
  const heading = plainWords(section);
  const nounThere = nounAround || (isElsewhere(heading) ? 0 : best(nouns, heading));
  return nounThere > 0 ? verb + nounThere : 0;
};

/** Whether a title is about making a key, or names one and nothing that is done to it. */
export const isAboutKey = (title: string): boolean =>
  scoreAction(title, '') > 0 || (namesKey(title) && !isElsewhere(plainWords(title)));

/** Words of agreement at the beginning of a name. */
const agreeing =
  'yes|ok|okay|confirm|continue|next|proceed|submit|save|generate|create|issue|add|go on|i understand|ja|bestatigen|weiter|fortfahren|erzeugen|erstellen|speichern|oui|confirmer|continuer|valider|generer|creer|si|confirmar|continuar|aceptar|generar|crear|guardar';
const yes = new RegExp(`^(${agreeing})\\b`);
/** Such words, and neutral ones beside them. */
const agreement = new RegExp(
  `\\b(${agreeing}|go ahead|understand|agree|accept|i|am|m|sure|it|this|that|and|please|anyway|now|to|do|my|me|ich|bin|sicher|und|bitte|trotzdem|je|suis|sur|et|estoy|seguro|y|los|das|es|le|la|lo)\\b`,
  'g',
);

const no =
  /\b(no|cancel|close|back|dismiss|delete|never|nein|abbrechen|schliessen|zuruck|loschen|non|annuler|fermer|retour|supprimer|cancelar|cerrar|volver|eliminar|log ?out|sign ?out|search)\b/;

/**
 * How likely it is that a control confirms an action: 0 when it does not. Its name only agrees, or
 * it names the action: "Yes, revoke all keys" does neither.
 * @param context the heading above it, on another page than the action's
 */
export const scoreConfirmation = (name: string, context = ''): number => {
  const words = plainWords(name);
  if (words === '' || no.test(words)) return 0;
  // "Generate" below "Backup codes" is another action; below "Password" it confirms.
  const around = plainWords(context).replace(passwordWords, '');
  if (best(nouns, words) === 0 && isElsewhere(around) && best(nouns, around) < ofApi) return 0;
  const rest = words.replace(yes, '').trim();
  const action = Math.max(scoreAction(name, 'api key'), scoreAction(rest, 'api key'));
  const namesOther = action > 0 ? namesMore(rest) : /[\p{L}\p{N}]/u.test(words.replace(agreement, ''));
  const agrees = yes.test(words) && !namesOther;
  return (agrees ? 4 : 0) + action;
};

export const isReveal = (name: string): boolean => {
  const words = plainWords(name);
  return (
    /^(show|reveal|unmask|unhide|display|view|click to (show|reveal)|anzeigen|einblenden|afficher|reveler|montrer|mostrar|revelar|ver)\b|\b(anzeigen|einblenden)$/.test(
      words,
    ) &&
    words.length < 40 &&
    !/password|all|more|less|usage|docs|example|history|log|profile|passwor[dt]|mot de passe|contrasena/.test(words)
  );
};

/**
 * Whether a control reveals a key: its name has a key or no noun at all, such as "Show" beside a
 * hidden key.
 */
export const isRevealOfKey = (name: string): boolean => {
  const words = plainWords(name);
  return isReveal(name) && (best(nouns, words) > 0 || !words.includes(' '));
};

export const isCopy = (name: string): boolean =>
  /cop[iy]|kopi|コピー|复制|複製/.test(plainWords(name)) && name.length < 40;

const { isLogIn, saysLogIn } = createPhrases({ plain: plainWords });
/** One way to log in among several. */
const logsInBy = /^(continue|use|weiter|mit|continuer|continuar|continua)\b/;
const byPassword = /\b(password|passwort|kennwort|mot de passe|contrasena)\b/;
const byName = /\b(e-?mail|user ?name|benutzername|courriel|correo)\b/;

/**
 * How likely it is that a control leads to a form for a name and a password: 0 when it does not.
 */
export const scoreWayToLogIn = (name: string): number => {
  const words = plainWords(name);
  if (isLogIn(words)) return 1;
  if (!(saysLogIn(words) || logsInBy.test(words)) || words.length > 60) return 0;
  return byPassword.test(words) ? 3 : byName.test(words) ? 2 : 0;
};
