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
type Replacement = readonly [mark: string, pattern: RegExp, replacement: string];

/** Applied in this order: a later one does not match what an earlier one has masked. */
const replacements: readonly Replacement[] = [
  ['private', /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g, masked],
  // A whole header, except where quotes end it.
  [
    'auth|cookie',
    /(?<![\w-])((?:proxy-)?authorization|(?:set-)?cookie)(\s{0,4}[:=]\s{0,4})[^\r\n"']+/gi,
    `$1$2${masked}`,
  ],
  ['bearer', /(?<![\w-])(bearer) {1,4}[\w.~+/=-]{4,}/gi, `$1 ${masked}`],
  // Not the word proof.
  ['dpop', /(?<![\w-])(dpop) {1,4}(?=[a-z]*[\d.~+/=_-])[\w.~+/=-]{4,}/gi, `$1 ${masked}`],
  // Not a basic word: base64 has capitals or digits.
  ['basic', /(?<![\w-])([Bb]asic|BASIC) {1,4}(?=[a-z]*[A-Z\d])[\w+/-]{4,}={0,2}/g, `$1 ${masked}`],
  // JSON Web Tokens.
  ['eyj', /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)*/g, masked],
  // User name and password of a URL.
  [':\\/\\/', /(?<=:\/\/)[^\s/?#@:"']{0,200}:[^\s/?#@"']{1,200}@/g, `${masked}@`],
  // Keys that providers mark: our own, OpenAI and Anthropic, Stripe, GitHub, GitLab, Slack, npm, Hugging Face, SendGrid.
  ['[prs]k[-_]', /(?<![\w-])(?:sk|pk|rk)[-_](?:[\w-]{0,20}[-_])?[A-Za-z\d]{16,}[\w-]*/g, masked],
  ['tnk_', /(?<![\w-])tnk_[\dA-Za-z]{1,64}_[\w-]{16,}/g, masked],
  [
    'gh[oprsu]_|_pat_|glpat|xox|npm_|hf_|sg\\.',
    /(?<![\w-])(?:gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|npm_|hf_|SG\.)[\w.-]{16,}/g,
    masked,
  ],
  // Amazon and Google.
  ['akia|asia', /(?<![\w-])(?:AKIA|ASIA)[A-Z\d]{16}(?!\w)/g, masked],
  ['aiza|ya29', /(?<![\w-])(?:AIza[\w-]{30,}|ya29\.[\w-]{16,})/g, masked],
];

/** Parts of all names in `secretNames`. */
const nameMarks = 'key|pin|sid|otp|auth|pass|pwd|jwt|token|secret|session|cookie|credential|bearer';

const marks = new RegExp([nameMarks, ...replacements.map(([mark]) => mark)].join('|'), 'i');

/** The same as `maskText`, for many short texts: most have no mark of a secret, and one search is faster than masking. */
export const maskMarked = (text: string): string => (marks.test(text) ? maskText(text) : text);

/** A copy of the text in which secrets are masked. */
export function maskText(text: string, ownPatterns: readonly RegExp[] = []): string {
  let result = text;
  for (const pattern of ownPatterns) result = result.replaceAll(global(pattern), masked);
  for (const [, pattern, replacement] of replacements) result = result.replace(pattern, replacement);
  return maskNamed(result);
}

/** Masks the values in `name=value`, `name: value` and `"name": "value"`, also in JSON inside a text of JSON. */
function maskNamed(text: string): string {
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
    result += `${text.slice(copied, name.lastIndex)}${quote}${masked}${quote}`;
    copied = name.lastIndex + secret.length;
    name.lastIndex = copied;
  }
  return result + text.slice(copied);
}

const global = (pattern: RegExp): RegExp => (pattern.global ? pattern : new RegExp(pattern, `${pattern.flags}g`));
