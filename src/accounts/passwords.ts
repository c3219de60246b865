/** Password rules, hashing and comparison. */
import { type Caller, networkPrefixOf } from "./throttles.ts";

interface KeyedSemaphoreLimits {
  readonly concurrencyMax: number;
  readonly queueMax: number;
  /** Queue bound per key, so that a flood from one client does not block the others. */
  readonly queuePerKeyMax: number;
}

/** Runs the work as soon as a permit is free; "busy" at once when the queue is full. */
export function createKeyedSemaphore({ concurrencyMax, queueMax, queuePerKeyMax }: KeyedSemaphoreLimits) {
  const queue: { readonly key: string; readonly begin: () => void }[] = [];
  let running = 0;
  return async <T>(key: string, work: () => Promise<T>): Promise<T | "busy"> => {
    if (running >= concurrencyMax) {
      const queuedOfKey = queue.filter((other) => other.key === key).length;
      if (queue.length >= queueMax || queuedOfKey >= queuePerKeyMax) return "busy";
      // The finished task passes its permit on, so `running` does not change.
      await new Promise<void>((begin) => queue.push({ key, begin }));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next.begin();
    }
  };
}

/** Lower case. Includes the longer forms that people derive from common leaked passwords. */
const commonPasswords: ReadonlySet<string> = new Set(
  `
  123456 12345678 123456789 1234567890 12345678910 123456789012 1234567890123 01234567890 012345678901 0123456789012 123123123123
  121212121212 112233445566 111222333444 123454321 1234554321 123456123456 123456654321 987654321 9876543210 098765432109 987654321098
  0987654321 111111 11111111 111111111111 000000 00000000 000000000000 222222222222 666666666666 777777777777 888888888888 999999999999
  123123 123321 654321 666666 696969 112233 159753 147258369 741852963 789456123 password password1 password12 password123 password1234
  password12345 password123456 password! password1! password123! password2024 password2025 password2026 passwordpassword mypassword
  mypassword1 newpassword thisismypassword passw0rd p@ssword p@ssw0rd p@ssw0rd123 p@ssword123 passw0rd1234 pa$$word pa55word pass1234
  pass12345678 passwort passwort1 passwort12 passwort123 passwort1234 passwort12345 passwort! passwort123! passwortpasswort meinpasswort
  meinpasswort1 neuespasswort geheim geheim123 geheimgeheim geheimespasswort hallo hallo123 hallohallo hallo1234567 halloduda kennwort
  kennwort123 kennwort1234 sicherespasswort qwerty qwerty1 qwerty12 qwerty123 qwerty1234 qwerty12345 qwerty123456 qwertyuiop qwertyuiop123
  qwertyuiopas qwertyuiop[] qwertyuiopasdf qwertyuiopasdfgh qwertyuiopasdfghjkl qwertyqwerty asdfgh asdfghjkl asdfghjkl123 asdfghjklzxc
  asdfasdf asdfasdfasdf asdfqwerzxcv zxcvbnm zxcvbnmasdfg zxcvbnm123 qazwsx qazwsxedc qazwsxedcrfv 1q2w3e 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y
  1q2w3e4r5t6y7u 1qaz2wsx 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qazxsw2 q1w2e3r4 q1w2e3r4t5y6 zaq12wsx zaq1zaq1 zaq1xsw2cde3 qwertz qwertz1
  qwertz123 qwertz1234 qwertz123456 qwertzuiop qwertzuiop123 qwertzuiopas qwertzuiopasdf qwertzqwertz asdfghjkloe yxcvbnm yxcvbnm123
  yxcvbnmasdfg 1qay2wsx 1qay2wsx3edc azerty azerty123 azertyuiop azertyuiop123 azertyuiopqs abc123 abcd1234 abc123456 abc123456789
  abcabcabc abcdef abcdefg abcdefgh abcdefghi abcdefghij abcdefghijk abcdefghijkl abcdefghijklm abcdefghijklmnop abcdefg123456
  abcdef123456 abcd12345678 a1b2c3d4 a1b2c3d4e5 a1b2c3d4e5f6 aa123456 a123456789 a12345678901 aaaaaa aaaaaaaa aaaaaaaaaaaa zzzzzzzzzzzz
  xxxxxxxxxxxx admin admin1 admin12 admin123 admin1234 admin12345 admin123456 admin12345678 admin123456789 administrator administrator1
  administrator123 adminadmin adminadminadmin admin@123 admin@1234 adminpassword adminpassword1 root root123 root1234 rootroot
  rootrootroot toor toortoor user user1234 useruser useruseruser test test123 test1234 test12345678 testtest testtesttest testpassword
  testpassword1 testaccount guest guest123 guestguest demo demo1234 demodemo default defaultpassword default123 manager superuser
  superadmin sysadmin webmaster webmaster123 welcome welcome1 welcome12 welcome123 welcome1234 welcome12345 welcome@123 welcome2024
  welcome2025 welcome2026 welcomewelcome willkommen willkommen1 willkommen12 willkommen123 willkommen2025 willkommen2026 letmein letmein1
  letmein123 letmein12345 letmeinletmein letmeinplease openup opensesame sesamoeffnedich changeme changeme1 changeme12 changeme123
  changeme1234 changemenow pleasechangeme changeit changeit123 temp1234 temporary temporary123 temppassword secret secret1 secret123
  secret1234 secretsecret topsecret topsecret123 supersecret supersecret1 supersecret123 secretpassword mysecretpassword verysecret login
  login123 loginlogin access access123 master master123 mastermaster computer computer1 computer123 internet internet1 internet123 samsung
  samsung123 google google123 google123456 facebook facebook123 microsoft microsoft123 windows windows10 windows11 linux linux123 ubuntu
  ubuntu123 server server123 server1234 network security security1 security123 security1234 firewall database oracle oracle123 mysql
  postgres postgres123 cisco cisco123 docker docker123 apple apple123 android android123 iloveyou iloveyou1 iloveyou2 iloveyou12
  iloveyou123 iloveyou1234 iloveyouforever iloveyousomuch iloveyoubaby ichliebedich ichliebedich1 loveyou lovelove lovelovelove lovely
  princess princess1 princess123 sunshine sunshine1 sunshine123 sunshine1234 football football1 football123 football1234 baseball
  baseball1 baseball123 basketball basketball1 basketball123 superman superman1 superman123 superman1234 batman batman123 spiderman
  spiderman1 spiderman123 starwars starwars1 starwars123 pokemon pokemon123 pokemon12345 dragon dragon123 dragon123456 monkey monkey123
  monkey123456 shadow shadow123 michael michael1 michael123 jordan jordan23 jennifer jennifer1 charlie charlie1 charlie123 daniel
  daniel123 thomas thomas123 schalke04 bayern bayernmuenchen fcbayern fcbayern1900 borussia borussia09 fussball fussball123 deutschland
  deutschland1 deutschland123 hamburg berlin berlin123 schatz schatz123 schatzi sommer sommer2024 sommer2025 sommer2026 winter2024
  winter2025 winter2026 summer2024 summer2025 summer2026 spring2026 fruehling2026 herbst2025 january2026 november2026 trustno1 whatever
  whatever1 whatever123 nothing nothing123 blink182 liverpool liverpool1 liverpool123 chelsea chelsea1 arsenal arsenal1 manchester
  manunited manchesterunited ashley nicole butterfly butterfly1 chocolate chocolate1 chocolate123 cheese freedom freedom1 freedom123
  flower flowers hello hello1 hello123 hello12345 hello123456 hellohello helloworld helloworld1 helloworld123 harley hunter hunter2 killer
  lovers maggie matrix mustang pepper purple ranger soccer soccer123 summer winter tigger yellow zxcvbn ninja correcthorsebatterystaple
  assay assay123 assayassay assay1234567 assaypassword
`
    .trim()
    .split(/\s+/),
);

export const commonPasswordCount = commonPasswords.size;

/** Longest unit whose repetition is refused. */
const repeatedCharsMax = 4;

/** Whether it is common or repeats a short unit. Expects lower case. */
function isLeakedPassword(password: string): boolean {
  return commonPasswords.has(password) || isRepetition(password);
}

function isRepetition(password: string): boolean {
  for (let length = 1; length <= repeatedCharsMax; length++) {
    const unit = password.slice(0, length);
    if (password.length > length && unit.repeat(Math.ceil(password.length / length)).startsWith(password)) return true;
  }
  return false;
}

export interface PasswordCost {
  readonly memoryKib: number;
  readonly passes: number;
}

/** OWASP's second recommendation for argon2id: about 25 ms on one core. */
export const owaspPasswordCost: PasswordCost = { memoryKib: 19_456, passes: 2 };
/** Each hash takes 19 MiB and a core. A full queue is served within half a second and has space for four networks. */
const hashingLimits = { concurrencyMax: 2, queueMax: 40, queuePerKeyMax: 10 };
/** Semaphore key of the command line. */
const commandLineKey = "";
/** Far above real passwords; bounds the work of hashing. */
export const passwordCharsMax = 256;

export type PasswordFault = "too-short" | "too-long" | "common" | "is-email";

export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords({ charsMin, cost = owaspPasswordCost }: { readonly charsMin: number; readonly cost?: PasswordCost }) {
  const argon2id = { algorithm: "argon2id", memoryCost: cost.memoryKib, timeCost: cost.passes } as const;
  const semaphore = createKeyedSemaphore(hashingLimits);
  const decoy = Bun.password.hash(crypto.randomUUID(), argon2id);
  return {
    charsMin,

    /** Null for an acceptable new password. */
    faultOf: (password: string, email: string): PasswordFault | null => {
      const chars = [...normalised(password)].length;
      if (chars < charsMin) return "too-short";
      if (chars > passwordCharsMax) return "too-long";
      const folded = normalised(password).trim().toLowerCase();
      if (folded === normalised(email).trim().toLowerCase()) return "is-email";
      return isLeakedPassword(folded) ? "common" : null;
    },

    /** Hash in PHC string format. `caller` is omitted on the command line. */
    hash: (password: string, caller?: Caller): Promise<string | "busy"> =>
      semaphore(caller === undefined ? commandLineKey : networkPrefixOf(caller), () => Bun.password.hash(normalised(password), argon2id)),

    /** Constant time: without a hash (no password, no account) it takes as long and is false. */
    matches: (password: string, hash: string | null, caller: Caller): Promise<boolean | "busy"> =>
      semaphore(networkPrefixOf(caller), async () => {
        // Impossible passwords are still hashed: constant time.
        const isPossible = password.length > 0 && [...password].length <= passwordCharsMax;
        const matches = await Bun.password.verify(isPossible ? normalised(password) : "-", hash ?? (await decoy));
        return matches && isPossible && hash !== null;
      }),
  };
}

/** NIST SP 800-63B section 3.1.1.2: Unicode normalisation, because keyboards compose characters differently. */
function normalised(password: string): string {
  return password.normalize("NFKC");
}
