import { createPhrases } from '../../../src/keypage/log-in-phrases.js';
import { plainWords } from '../../../src/words.js';
import { expect, test } from '../support/test.js';

const { isLogIn, saysLogIn, saysElse } = createPhrases({ plain: plainWords });

test('a log-in is known by its name in many languages, and is no other form', () => {
  const names = ['Log in', 'Sign-in', 'Anmelden', 'Iniciar sesión', 'Войти', 'Giriş Yap', 'ログイン', '登录', '로그인'];
  for (const name of [...names, 'تسجيل الدخول', 'התחברות', 'เข้าสู่ระบบ', 'Đăng nhập'])
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
