/** Names of fields that hold secrets. */

/** Names in MCP and in lists that end in "token" and hold no secret. */
const harmlessNames = /^(?:progress|(?:next|previous)?page|continuation|cancellation|sync)token$/;
const secretNames =
  /authorization|cookie|passw(?:or)?d|passphrase|secret|apikey|accesskey|accountkey|privatekey|signingkey|encryptionkey|credential|bearer|codeverifier|(?:token|jwt|pwd|sessionid|assertion)$|^(?:otp|pin|sid|pass|auth)$/;

/** Parts of all names of secrets, as the source of an expression. */
export const nameMarks =
  'key|pin|sid|otp|auth|pass|pwd|jwt|token|secret|session|cookie|credential|bearer|verifier|assertion';

const plainOf = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, '');

/** Whether a field of this name holds a secret: `api_key`, `X-Api-Key` and `apiKey` are one name. */
export function isSecretName(name: string): boolean {
  const plain = plainOf(name);
  return secretNames.test(plain) && !harmlessNames.test(plain);
}

/** Whether a field of this name holds secrets if they are texts: as numbers, tokens are counted. */
export const isTokensName = (name: string): boolean => /(?:token|jwt|apikey)s$/.test(plainOf(name));

/** Tokens are counted, or numbers of a vocabulary. */
export const isCounted = (value: unknown): boolean =>
  typeof value !== 'string' && !(Array.isArray(value) && value.some((one) => typeof one === 'string'));

/** Whether it is a name with a value, as in `{ name: 'API_KEY', value: '…' }`. */
export function hasSecretValue(pair: object): boolean {
  if (!('value' in pair)) return false;
  const { name, key } = pair as { readonly name?: unknown; readonly key?: unknown };
  return [name, key].some((one) => typeof one === 'string' && isSecretName(one));
}
