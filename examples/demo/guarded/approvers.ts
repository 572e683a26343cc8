/** Who may approve calls of the demo: one user, who signs in to the page with a password. A real server would use its provider. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ApprovalHandlerOptions } from 'tenon/guard';

/** The second person. */
export const grace = { issuer: 'demo', subject: 'grace', roles: ['lead'] };

export const password = randomBytes(9).toString('base64url');

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Browsers ask for the password, and send it with every request. */
export const authenticate: ApprovalHandlerOptions['authenticate'] = ({ headers }) => {
  const [, credentials = ''] = /^Basic (.+)$/.exec(headers.get('authorization') ?? '') ?? [];
  const expected = digestOf(Buffer.from(`grace:${password}`).toString('base64'));
  if (timingSafeEqual(digestOf(credentials), expected)) return grace;
  return new Response('Sign in as grace, with the password that the demo has printed.\n', {
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="Approvals of the demo"', 'content-type': 'text/plain' },
  });
};
