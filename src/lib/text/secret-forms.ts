/** The forms of secrets that can be recognised without a name. Every expression runs in linear time. */

/** `mark` is a part of every text that the pattern matches, as the source of an expression without case. */
export interface SecretForm {
  readonly mark: string;
  /** Of a match, the groups `before` and `after` stay. */
  readonly pattern: RegExp;
}

/** Applied in this order: a later one does not match what an earlier one has masked. */
export const secretForms: readonly SecretForm[] = [
  {
    // Also encrypted ones and those of PGP, whose headers have dashes.
    mark: 'private',
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    // A whole header, except where quotes end it; a value of a cookie may be quoted.
    mark: 'auth|cookie',
    pattern:
      /(?<![\w-])(?<before>(?:(?:proxy-)?authorization|(?:set-)?cookie)\s{0,4}[:=]\s{0,4})(?:[^\r\n"'=]|=\\{0,3}"[^"\r\n]*"?|=)+/gi,
  },
  { mark: 'bearer', pattern: /(?<![\w-])(?<before>bearer {1,4})[\w.~+/=-]{4,}/gi },
  {
    // "DPoP proof" is no token: a token has more than small letters.
    mark: 'dpop',
    pattern: /(?<![\w-])(?<before>dpop {1,4})(?=[a-z]*[\d.~+/=_-])[\w.~+/=-]{4,}/gi,
  },
  {
    // "basic auth" is no token: base64 has capitals or digits.
    mark: 'basic',
    pattern: /(?<![\w-])(?<before>(?:[Bb]asic|BASIC) {1,4})(?=[a-z]*[A-Z\d])[\w+/-]{4,}={0,2}/g,
  },
  // JSON Web Tokens.
  { mark: 'eyj', pattern: /(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)*/g },
  // User name and password of a URL.
  { mark: ':\\/\\/', pattern: /(?<=:\/\/)[^\s/?#@:"']{0,200}:[^\s/?#@"']{1,200}(?<after>@)/g },
  // A token instead of them.
  { mark: ':\\/\\/', pattern: /(?<before>https?:\/\/)[^\s/?#@:"']{8,400}(?<after>@)/g },
  {
    mark: 'hooks\\.',
    pattern: /(?<before>hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{16,}/g,
  },
  {
    // OpenAI, Anthropic, Stripe. Words with dashes have no digits and no capitals.
    mark: '[prs]k[-_]',
    pattern:
      /(?<![\w-])(?:sk|pk|rk)[-_](?:(?=[a-z_-]{0,80}[A-Z\d])[\w-]{16,}|(?:[\w-]{0,20}[-_])?[A-Za-z\d]{16,}[\w-]*)/g,
  },
  // Our own.
  { mark: 'tnk_', pattern: /(?<![\w-])tnk_[\dA-Za-z]{1,64}_[\w-]{16,}/g },
  {
    // GitHub, GitLab, Slack, npm, Hugging Face, SendGrid, Supabase, Groq, Figma, Shopify, Atlassian, DigitalOcean, Grafana.
    mark: 'gh[oprsu]_|_pat_|glpat|xox|xapp|npm_|hf_|sg\\.|sbp_|gsk_|figd_|shp|atatt|dop_v1|glsa_',
    pattern:
      /(?<![\w-])(?:gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|npm_|hf_|SG\.|sbp_|gsk_|figd_|shp(?:at|ca|pa|ss)_|ATATT|dop_v1_|glsa_)[\w.=-]{16,}/g,
  },
  // Amazon and Google.
  { mark: 'akia|asia', pattern: /(?<![\w-])(?:AKIA|ASIA)[A-Z\d]{16}(?!\w)/g },
  { mark: 'aiza|ya29', pattern: /(?<![\w-])(?:AIza[\w-]{30,}|ya29\.[\w-]{16,})/g },
];
