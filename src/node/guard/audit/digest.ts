/** SHA-256 and salts with Node's synchronous functions. */
import { cryptoModule } from '../../process/builtins.ts';

let hash: ReturnType<typeof cryptoModule>['hash'] | undefined;

/** Of bytes read as `latin1`. */
export function sha256(text: string): string {
  hash ??= cryptoModule().hash;
  return hash('sha256', Buffer.from(text, 'latin1'));
}

/** Of a text that this process writes, which is ASCII: a fifth faster. */
export function sha256OfAscii(text: string): string {
  hash ??= cryptoModule().hash;
  return hash('sha256', text);
}

const saltDigits = 32;
/** Random digits for the next salts: asking the system for each would cost more than its hash. */
let digits = '';
let used = 0;

export function newSalt(): string {
  if (used === digits.length) {
    digits = cryptoModule().randomBytes(4096).toString('hex');
    used = 0;
  }
  used += saltDigits;
  return digits.slice(used - saltDigits, used);
}
