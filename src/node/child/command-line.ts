/** A command as a user would type it, for error messages, without what looks like a secret. */
import { shownAddress } from '../../lib/text/shown-address.ts';

interface Typed {
  readonly command: string;
  readonly args?: readonly string[];
}

export function commandLine({ command, args = [] }: Typed): string {
  const shown = args.map((text, n) => (isValueOf(args[n - 1], text) ? hidden : withoutSecrets(text)));
  return [withoutSecrets(command), ...shown].map((text) => quoted(cut(text, maxShown))).join(' ');
}

const hidden = '…';

const maxShown = 200;
/** More is read than shown: what marks the beginning as a secret may come later. */
const maxRead = 2000;
const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most)}${hidden}`);

const words =
  'key|token|secret|passw|passphrase|pass(?![a-z])|pwd|auth|credential|bearer|cookie|jwt|(?<![a-z])(?:pat|pw)(?![a-z])';
const name = `[\\w-]*(?:${words})[\\w-]*`;
/** An option whose value comes next. */
const secretOption = new RegExp(`^-${name}$`, 'i');
/** The same with its value in one text, as in the command of a shell. */
const optionWithValue = new RegExp(`(?<![\\w-])(-${name})\\s+\\S.*`, 'is');
/** A name with its value: an option, a variable, a header, a key of JSON. */
const namedSecret = new RegExp(`(?<![\\w-])(${name}["'\\\\\\]]*\\s*[=:]).+`, 'is');
const bearer = /\b(bearer)\s+\S.*/is;
/** Prefixes by which services mark their tokens. */
const markedSecret = /(?<![\w-])(?:(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z])[-_]|AKIA|eyJ)[-_\w]{12,}\S*/g;
/** A password may contain spaces: user information reaches to the last @. */
const addresses = /(?<![a-z\d+.-])[a-z][a-z\d+.-]*:\/\/(?:.*@)?\S*/gis;
/** A token can begin with dashes as well, but rarely looks like an option. */
const plainOption = /^--[a-z][a-z-]*(?:=.*)?$/s;

const isValueOf = (option: string | undefined, text: string): boolean =>
  option !== undefined && secretOption.test(option) && !plainOption.test(text);

/** One argument, or a whole line. Nothing is shown after the name of a secret. */
export const withoutSecrets = (text: string): string =>
  cut(text, maxRead)
    .replace(addresses, shownAddress)
    .replace(namedSecret, `$1${hidden}`)
    .replace(optionWithValue, `$1 ${hidden}`)
    .replace(bearer, `$1 ${hidden}`)
    .replace(markedSecret, hidden);

const quoted = (text: string): string => (/^[\w./:@=+…-]+$/.test(text) ? text : JSON.stringify(text));
