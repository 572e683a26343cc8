/** The file with secrets by their names: only its owner may read it, and no error has a value of it. */
import { basename } from 'node:path';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { readPrivateFile } from '../../node/credentials/private-folder.ts';
import { ConfigDocument } from './config-document.ts';

/** Secrets by their names. */
export interface Secrets {
  /** The names, for errors. */
  readonly names: readonly string[];
  get(name: string): string | undefined;
}

export const noSecrets: Secrets = { names: [], get: () => undefined };

/** Throws `unsafe-permissions` if others may read it, `file-not-found`, and `invalid-argument` with lines. */
export async function readSecretsFile(path: string): Promise<Secrets> {
  const text = await readPrivateFile(path);
  if (text === undefined)
    throw new TenonError('file-not-found', `There is no file ${path}.`, {
      hint: 'Create it, readable by its owner only: NAME: secret, one on each line.',
      details: { path },
    });
  return parseSecrets(text, basename(path));
}

function parseSecrets(text: string, file: string): Secrets {
  const document = new ConfigDocument(text, file, true);
  const secrets = new Map<string, string>();
  for (const [name, value] of Object.entries(document.value)) {
    if (typeof value === 'string' && isSecretText(value)) secrets.set(name, value);
    else {
      const hint = 'Write a text of visible characters, without spaces; put numbers in quotes.';
      document.report({ place: name, text: `${name} is not a secret.`, hint });
    }
  }
  document.finish();
  return { names: [...secrets.keys()], get: (name) => secrets.get(name) };
}

/** What a header can carry. */
const isSecretText = (value: string): boolean => /^[\x21-\x7e]+$/.test(value);
