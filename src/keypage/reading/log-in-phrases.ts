import { plainWords } from '../../words.js';

/**
 * What names of controls say of log-ins and of other forms, in several languages. Runs in a page
 * too.
 * @param plain text without accents, capitals and repeated blanks
 */
export const createPhrases = ({ plain }: { readonly plain: (text: string) => string }) => {
  const logIn = `
    log in, login, log on, logon, log me in, sign in, signin, sign me in; anmelden, anmeldung, einloggen;
    connexion, connecter, se connecter, me connecter, s'identifier; iniciar sesión, entrar, acceder, ingresar;
    iniciar sessão, fazer login, acessar; accedi, entra; inloggen, aanmelden; log ind; logg inn; logga in; kirjaudu;
    logi sisse; zaloguj, logowanie; přihlásit; prihlásiť; prijava, prijavi se; bejelentkezés, belépés;
    autentificare, conectare; prisijungti; pieteikties; giriş, giriş yap, oturum aç; masuk; đăng nhập;
    σύνδεση, είσοδος; войти, вход; увійти, вхід; влез; пријава; تسجيل الدخول, دخول; ورود; התחברות, התחבר, כניסה;
    लॉग इन, साइन इन; เข้าสู่ระบบ, ลงชื่อเข้าใช้; ログイン, サインイン; 登录, 登錄, 登入; 로그인`;
  const ambiguous = 'anmelden, anmeldung, aanmelden, prijava, prijavi se';
  // An asterisk stands for any ending.
  const elsewhere = `
    register*, sign up, signup, create, delete, deactivate, trial, buy, pay, subscribe*, join;
    registr*, erstellen, löschen, kaufen, bezahlen; inscri*, créer, supprimer, payer; crear, eliminar, pagar, suscrib*;
    regist*, cadastr*, criar, excluir, apagar; iscri*, crea, elimina; maak, verwijder*, betaal; opret, tilmeld, slet;
    opprett, slett; skapa, radera; rekisteröi*, luo, poista; zarejestruj*, rejestracja, utwórz, załóż, usuń;
    vytvořit, smazat; regisztr*, törlés; înregistr*, creează, șterge; kayıt, kaydol, üye ol, oluştur, sil;
    daftar, hapus; đăng ký, xóa; εγγραφή, δημιουργία, διαγραφή; регистр*, зарегистр*, создать, удалить;
    реєстр*, зареєстр*, створити, видалити; създа*, изтри*; إنشاء, حذف, اشتراك; ثبت نام; הרשמה, הירשם, מחיקה;
    สมัคร, ลงทะเบียน, ลบ; 登録, 作成, 削除, 購入; 注册, 註冊, 创建, 删除, 刪除; 가입, 등록, 삭제, 생성`;
  /** Phrases as one pattern. Some scripts write no blank between words. */
  const anyOf = (phrases: string): string =>
    plain(phrases)
      .split(/[,;]/)
      .map((phrase) => phrase.trim())
      .filter((phrase) => phrase !== '')
      .map((phrase) => {
        const words = phrase.replace('*', '').replaceAll(' ', '[ -]?');
        // Some libraries set two Han characters apart.
        if (/\p{sc=Han}/u.test(phrase)) return [...words].join(' ?');
        if (/[\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]/u.test(phrase)) return words;
        return `(?<!\\p{L})${words}${phrase.endsWith('*') ? '' : '(?!\\p{L})'}`;
      })
      .join('|');
  const [known, other] = [anyOf(logIn), anyOf(elsewhere)];
  const whole = new RegExp(`^(?:${known})$`, 'u');
  const inTwoSenses = new RegExp(`^(?:${anyOf(ambiguous)})`, 'u');
  const beginning = new RegExp(`^(?:${known})`, 'u');
  const anywhere = new RegExp(other, 'u');
  /** Icons and arrows are no part of a name. */
  const wordsOf = (name: string): string => plain(name).replace(/^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, '');
  return {
    /** The name is that of a log-in, and says no more. */
    isLogIn: (name: string): boolean => whole.test(wordsOf(name)),
    /** The name begins like that of a log-in. */
    saysLogIn: (name: string): boolean => beginning.test(wordsOf(name)),
    /** The name is that of a log-in in one sense, and of a registration in another. */
    isAmbiguous: (name: string): boolean => inTwoSenses.test(wordsOf(name)),
    /** The name says that it does something else than to log in: it makes or deletes an account. */
    saysElse: (name: string): boolean => anywhere.test(plain(name)),
  };
};

export type Phrases = ReturnType<typeof createPhrases>;

const { isLogIn, saysLogIn, saysElse } = createPhrases({ plain: plainWords });

/** `/users/sign_in.php` → `users`, `sign in` */
const stepsOf = (path: string): string[] =>
  path.split('/').map((step) => step.replace(/\.\w+$/, '').replace(/[_.-]+/g, ' '));

/**
 * Whether the address of a page or its title names a log-in, and neither names anything else. An
 * address inside the query is that of another page.
 */
export const namesLogIn = (address: string, title: string): boolean => {
  const { pathname, hash, searchParams } = new URL(address);
  const steps = stepsOf(`${pathname}/${hash.slice(1).replace(/\?.*/, '')}`);
  const asked = [...searchParams.values()].filter((value) => !value.includes('/'));
  if ([...steps, ...asked, title].some(saysElse)) return false;
  return steps.some(isLogIn) || title.split(/[|—–·•:»]| - /).some(saysLogIn);
};
