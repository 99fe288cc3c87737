/** The texts of the pages in one language. */

export interface Texts {
  readonly language: string;
  readonly logIn: string;
  readonly username: string;
  readonly password: string;
  readonly next: string;
  readonly wrong: string;
  readonly logOut: string;
  readonly heading: string;
  readonly none: string;
  readonly current: string;
  readonly generate: string;
  readonly example: string;
  readonly sure: string;
  readonly yes: string;
  readonly cancel: string;
}

const english: Texts = {
  language: 'en',
  logIn: 'Log in',
  username: 'Username',
  password: 'Password',
  next: 'Next',
  wrong: 'Username or password is wrong.',
  logOut: 'Log out',
  heading: 'API key',
  none: 'No API key exists yet.',
  current: 'Your current API key',
  generate: 'Generate API key',
  example: 'How to use it',
  sure: 'The current key stops working. Go on?',
  yes: 'Yes, generate it',
  cancel: 'Cancel',
};

const german: Texts = {
  language: 'de',
  logIn: 'Anmelden',
  username: 'Benutzername',
  password: 'Passwort',
  next: 'Weiter',
  wrong: 'Benutzername oder Passwort ist falsch.',
  logOut: 'Abmelden',
  heading: 'API-Schlüssel',
  none: 'Du hast noch keinen API-Schlüssel.',
  current: 'Dein aktueller API-Schlüssel',
  generate: 'API-Schlüssel erzeugen',
  example: 'So wird er benutzt',
  sure: 'Der jetzige Schlüssel wird ungültig. Fortfahren?',
  yes: 'Ja, erzeugen',
  cancel: 'Abbrechen',
};

const french: Texts = {
  language: 'fr',
  logIn: 'Se connecter',
  username: 'Nom d’utilisateur',
  password: 'Mot de passe',
  next: 'Suivant',
  wrong: 'Identifiant ou mot de passe incorrect.',
  logOut: 'Se déconnecter',
  heading: 'Clé d’API',
  none: 'Aucune clé d’API n’existe pour l’instant.',
  current: 'Votre clé d’API actuelle',
  generate: 'Générer une clé d’API',
  example: 'Exemple',
  sure: 'La clé actuelle sera révoquée. Continuer ?',
  yes: 'Oui, générer',
  cancel: 'Annuler',
};

const spanish: Texts = {
  language: 'es',
  logIn: 'Iniciar sesión',
  username: 'Usuario',
  password: 'Contraseña',
  next: 'Siguiente',
  wrong: 'El usuario o la contraseña no son correctos.',
  logOut: 'Cerrar sesión',
  heading: 'Clave de API',
  none: 'Todavía no tienes ninguna clave de API.',
  current: 'Tu clave de API actual',
  generate: 'Generar clave de API',
  example: 'Ejemplo',
  sure: 'La clave actual dejará de funcionar. ¿Continuar?',
  yes: 'Sí, generar',
  cancel: 'Cancelar',
};

/** The texts in the language that a variant is named after; English for other variants. */
export const textsOf = (variant: string): Texts => ({ german, french, spanish })[variant] ?? english;
