import { createPhrases, namesLogIn } from '../../../src/keypage/reading/log-in-phrases.js';
import { plainWords } from '../../../src/words.js';
import { expect, test } from '../support/test.js';

const { isLogIn, saysLogIn, saysElse } = createPhrases({ plain: plainWords });

test('a log-in is known by its name in many languages, and is no other form', () => {
  const names = ['Log in', 'Sign-in', 'Anmelden', 'Iniciar sesión', 'Войти', 'Giriş Yap', 'ログイン', '登录', '로그인'];
  for (const name of [...names, '登 录', '→ Log in', 'Sign in »', 'تسجيل الدخول', 'התחברות', 'เข้าสู่ระบบ', 'Đăng nhập'])
    expect([name, isLogIn(name), saysElse(name)]).toEqual([name, true, false]);
  for (const name of ['Sign in with your account', 'Zaloguj się', 'ログインする'])
    expect([name, isLogIn(name), saysLogIn(name)]).toEqual([name, false, true]);
});

test('what makes or deletes an account says so, and what only begins alike is no log-in', () => {
  for (const name of [
    'Create account',
    'Registrarse',
    'Зарегистрироваться',
    '新規登録',
    '회원가입',
    'Luo tili',
    'Kaydol',
  ])
    expect([name, saysLogIn(name), saysElse(name)]).toEqual([name, false, true]);
  for (const name of ['Logistics', 'Entradas', 'Continue', 'Silent'])
    expect([name, saysLogIn(name), saysElse(name)]).toEqual([name, false, false]);
});

test('a page is to log in at if its address or its title says so, and neither says anything else', () => {
  const at = (path: string, title = 'Acme'): boolean => namesLogIn(`https://example.com${path}`, title);
  for (const path of [
    '/login',
    '/users/sign_in',
    '/Login.aspx?next=/keys/create',
    '/#/login?to=x',
    '/u/login/identifier',
  ])
    expect([path, at(path)]).toEqual([path, true]);
  for (const path of [
    '/',
    '/login/register',
    '/login?screen_hint=signup',
    '/#/sign-up',
    '/login-settings',
    '/start?next=/login',
  ])
    expect([path, at(path)]).toEqual([path, false]);
  for (const title of ['Log in', 'Acme | Sign in', 'Anmelden bei Acme', 'Acme - Log in', 'サインイン · Acme'])
    expect([title, at('/', title)]).toEqual([title, true]);
  for (const title of ['Log in or sign up', 'Welcome', 'Create account | Log in'])
    expect([title, at('/login', title)]).toEqual([title, title === 'Welcome']);
});
