/** A command as a person would type it, for errors: what looks like a secret is left out. */
import type { Command } from './command.ts';

export function commandLine({ command, args = [] }: Command): string {
  const shown = args.map((text, n) =>
    namesSecret(args[n - 1]) && !text.startsWith('-') ? hidden : withoutSecret(cut(text)),
  );
  return [command, ...shown].map((text) => quoted(cut(text))).join(' ');
}

const maxCharacters = 200;
const cut = (text: string): string =>
  text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}${hidden}`;

const hidden = '…';

const secretWords = 'key|token|secret|passw|pwd|auth|credential|bearer|cookie';
/** An option whose value comes next. */
const secretOption = new RegExp(`^--?[\\w-]*(?:${secretWords})[\\w-]*$`, 'i');
/** A name with its value: an option, a variable, a header. */
const namedSecret = new RegExp(`^([\\w-]*(?:${secretWords})[\\w-]*\\s*[=:]).+`, 'is');
/** Beginnings by which services mark their tokens. */
const markedSecret = /^(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[a-z]|AKIA|eyJ)[-_\w]{12,}/;
const urlCredentials = /^([a-z][a-z\d+.-]*:\/\/)[^/@\s]+@/i;

const namesSecret = (text: string | undefined): boolean => text !== undefined && secretOption.test(text);

function withoutSecret(text: string): string {
  if (markedSecret.test(text)) return hidden;
  return text.replace(namedSecret, `$1${hidden}`).replace(urlCredentials, `$1${hidden}@`);
}

const quoted = (text: string): string => (/^[\w./:@=+…-]+$/.test(text) ? text : JSON.stringify(text));
