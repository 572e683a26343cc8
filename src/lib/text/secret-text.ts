/** Finds secrets in text by their form, and by the name that stands before them. Every expression runs in linear time. */

export const masked = '[masked]';

/** Names in MCP and in lists that end in "token" and hold no secret. */
const harmlessNames = /^(?:progress|(?:next|previous)?page|continuation|cancellation|sync)token$/;
const secretNames =
  /authorization|cookie|passw(?:or)?d|passphrase|secret|apikey|accesskey|privatekey|signingkey|encryptionkey|credential|bearer|(?:token|jwt|pwd|sessionid)$|^(?:otp|pin|sid|pass|auth)$/;

/** Whether a field of this name holds a secret: `api_key`, `X-Api-Key` and `apiKey` are one name. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z\d]/g, '');
  return secretNames.test(plain) && !harmlessNames.test(plain);
}

/** `mark` is a part of every text that the pattern matches, as the source of an expression without case. */
type Secret = readonly [mark: string, pattern: RegExp];

/** Applied in this order: a later one does not match what an earlier one has masked. Of a match, the groups `before` and `after` stay. */
const secrets: readonly Secret[] = [
  ['private', /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g],
  // A whole header, except where quotes end it.
  ['auth|cookie', /(?<![\w-])(?<before>(?:(?:proxy-)?authorization|(?:set-)?cookie)\s{0,4}[:=]\s{0,4})[^\r\n"']+/gi],
  ['bearer', /(?<![\w-])(?<before>bearer {1,4})[\w.~+/=-]{4,}/gi],
  // "DPoP proof" is no token: a token has more than small letters.
  ['dpop', /(?<![\w-])(?<before>dpop {1,4})(?=[a-z]*[\d.~+/=_-])[\w.~+/=-]{4,}/gi],
  // "basic auth" is no token: base64 has capitals or digits.
  ['basic', /(?<![\w-])(?<before>(?:[Bb]asic|BASIC) {1,4})(?=[a-z]*[A-Z\d])[\w+/-]{4,}={0,2}/g],
  // JSON Web Tokens.
  ['eyj', /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)*/g],
  // User name and password of a URL.
  [':\\/\\/', /(?<=:\/\/)[^\s/?#@:"']{0,200}:[^\s/?#@"']{1,200}(?<after>@)/g],
  // Keys that providers mark: our own, OpenAI and Anthropic, Stripe, GitHub, GitLab, Slack, npm, Hugging Face, SendGrid.
  ['[prs]k[-_]', /(?<![\w-])(?:sk|pk|rk)[-_](?:[\w-]{0,20}[-_])?[A-Za-z\d]{16,}[\w-]*/g],
  ['tnk_', /(?<![\w-])tnk_[\dA-Za-z]{1,64}_[\w-]{16,}/g],
  [
    'gh[oprsu]_|_pat_|glpat|xox|npm_|hf_|sg\\.',
    /(?<![\w-])(?:gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|npm_|hf_|SG\.)[\w.-]{16,}/g,
  ],
  // Amazon and Google.
  ['akia|asia', /(?<![\w-])(?:AKIA|ASIA)[A-Z\d]{16}(?!\w)/g],
  ['aiza|ya29', /(?<![\w-])(?:AIza[\w-]{30,}|ya29\.[\w-]{16,})/g],
];

/** Parts of all names in `secretNames`. */
const nameMarks = 'key|pin|sid|otp|auth|pass|pwd|jwt|token|secret|session|cookie|credential|bearer';

const formMarks = new RegExp(secrets.map(([mark]) => mark).join('|'), 'i');
const marks = new RegExp(`${nameMarks}|${formMarks.source}`, 'i');

/** The same as `maskText`, for many short texts: most have no mark of a secret, and one search is faster than masking. */
export const maskMarked = (text: string): string => (marks.test(text) ? maskText(text) : text);

/** Returns the replacement of a secret. */
export type MaskSecret = (secret: string) => string;

const maskAll: MaskSecret = () => masked;

/** A copy of the text in which secrets are masked. */
export function maskText(text: string, ownPatterns: readonly RegExp[] = [], mask: MaskSecret = maskAll): string {
  let result = text;
  for (const pattern of ownPatterns) result = result.replaceAll(global(pattern), (secret) => mask(secret));
  // Most texts have neither a mark nor a name with a value, and masking takes most of the time of a capture.
  if (formMarks.test(result))
    for (const [, pattern] of secrets) result = result.replace(pattern, (...found) => maskedMatch(found, mask));
  return /[:=]/.test(result) ? maskNamed(result, mask) : result;
}

/** The last argument of a replacer has the named groups, if the pattern has any. */
function maskedMatch(found: readonly unknown[], mask: MaskSecret): string {
  const whole = found[0] as string;
  const last = found.at(-1);
  const { before = '', after = '' } = (typeof last === 'object' ? last : {}) as { before?: string; after?: string };
  return before + mask(whole.slice(before.length, whole.length - after.length)) + after;
}

/** Masks the values in `name=value`, `name: value` and `"name": "value"`, also in JSON inside a text of JSON. */
function maskNamed(text: string, mask: MaskSecret): string {
  const name = /(?<![\w.-])([\w.-]{1,64})\\{0,3}["']?\s{0,4}[:=]\s{0,4}/g;
  // A quoted value, also one that is cut off, the quote escaped, a list or an object up to its first end, or a value without spaces.
  const value = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|'[^']*(?:'|$)|\\{1,3}["'][^"'\\]*|[[{][^\]}]*[\]}]?|[^\s"'&,;{}[\]]+/y;
  let result = '';
  let copied = 0;
  for (let found = name.exec(text); found !== null; found = name.exec(text)) {
    if (!isSecretName(found[1] ?? '')) continue;
    value.lastIndex = name.lastIndex;
    const secret = value.exec(text)?.[0];
    if (secret === undefined) continue;
    const quote = /^["']/.exec(secret)?.[0] ?? '';
    const inner = secret.slice(quote.length, quote !== '' && secret.endsWith(quote) ? -1 : undefined);
    result += `${text.slice(copied, name.lastIndex)}${quote}${mask(inner)}${quote}`;
    copied = name.lastIndex + secret.length;
    name.lastIndex = copied;
  }
  return result + text.slice(copied);
}

const global = (pattern: RegExp): RegExp => (pattern.global ? pattern : new RegExp(pattern, `${pattern.flags}g`));
