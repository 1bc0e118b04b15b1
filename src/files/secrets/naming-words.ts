import { toWordTree } from "./to-word-tree.ts";

// What people call it; a low line stands for a space.
const PASSWORD_WORDS = `pass password passwort passwd passphrase passcode passkey pwd psw pw psk kennwort contraseña
  contrasena clave mot_de_passe mdp senha palavra-passe palavra_passe parola wachtwoord 密码 密碼 口令 パスワード
  暗証番号 пароль пароля паролем hasło hasła lösenord 비밀번호 암호 adgangskode passord salasana heslo jelszó
  lozinka geslo parool slaptažodis şifre şifrem şifremiz κωδικός סיסמה סיסמא كلمة_المرور كلمة_السر
  पासवर्ड mật_khẩu รหัสผ่าน kata_sandi`.split(/\s+/);
const KEY_WORDS = `secret token apikey api_key api.key api-key key credential credentials auth authorization schlüssel
  jeton clé chave chiave llave sleutel 密钥 密鑰 令牌 トークン キー geheimnis secreto segredo segreto ключ токен
  klucz nyckel nøgle avain klíč kulcs anahtar מפתח مفتاح कुंजी 열쇠 connectionstring connection_string
  licence license cookie salt seed otp`.split(/\s+/);
const spaced = (words: readonly string[]) => [
  ...words,
  ...words.filter((word) => word.includes("_")).map((word) => word.replaceAll("_", " ")),
];
let pattern: RegExp | undefined;

/** The words that say what a value beside them is; made when the first text is looked at. */
export function namingWord(): RegExp {
  return (pattern ??= new RegExp(toWordTree(spaced([...PASSWORD_WORDS, ...KEY_WORDS])), "gi"));
}

const passwords = new Set(spaced(PASSWORD_WORDS));

/** Whether such a word means a password rather than a key. */
export function isPasswordWord(word: string): boolean {
  return passwords.has(word) || passwords.has(word.toLowerCase());
}
