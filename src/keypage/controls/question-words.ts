import { plainWords } from '../../words.js';
import { endsSomething, namesKey, passwordWords } from '../reading/control-names.js';
import { createPhrases } from '../reading/log-in-phrases.js';

/** Words of a question who somebody is, with neutral ones, in several languages. */
const asking =
  /\b(please|re-?enter|enter|re-?type|type|provide|need|needs|required?|again|once more|now|before|first|to|for|of|the|an?|we|you|yours?|my|me|it|s|is|this|that|are|re|sure|and|have|must|confirm(ation|ing)?|continu(e|ing)|proceed(ing)?|access|identity|account|user|current|security|secure|area|application|check|verif(y|ying|ication)|(re-?)?authenticat(e|ion)|sudo|mode|bitte|erneut|nochmals?|eingeben|geben|sie|ihr|ein(e|en)?|zu[mr]?|um|die|der|das|fur|bestatig(en|ung)|fortzufahren|zugriff|identitat|konto|sicherheit|sicherheitsabfrage|veuillez|saisir|votre|le|la|l'acces|l'identite|confirmer|confirmez|pour|continuer|acces|identite|compte|securite|por favor|introduzca|ingrese|su|tu|confirme|confirmar|para|continuar|acceso|identidad|cuenta|seguridad)\b/g;

const { saysLogIn, saysElse } = createPhrases({ plain: plainWords });

/** Whether a title asks who presses: it has words of such a question and no others. */
export const asksWhoItIs = (title: string): boolean => {
  const words = plainWords(title);
  const rest = words.replace(passwordWords, '').replace(asking, '');
  return (saysLogIn(words) && !saysElse(words)) || !/[\p{L}\p{N}]/u.test(rest);
};

/** Whether a title says that something is deleted or ended which is no key. */
export const endsOther = (title: string): boolean => endsSomething(title) && !namesKey(title);
