/** The certificate authorities that a client trusts: those of Node, and those of the `ca` option. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { TenonError } from '../../lib/errors/tenon-error.ts';

/**
 * Lists of certificates (`ca`) that are held ready. Targets rarely have different authorities.
 * @limit credentials
 * @beyond the oldest is read again
 */
const maxContexts = 8;

const contexts = new Map<string, SecureContext>();

/** What TLS connections need to trust them. Reading all certificates takes many milliseconds, so it is done once. */
export function trustingContext(ca: string | readonly string[]): SecureContext {
  const key = JSON.stringify([ca, process.env.NODE_EXTRA_CA_CERTS]);
  const known = contexts.get(key);
  if (known !== undefined) return known;
  const context = createSecureContext({ ca: trustedAuthorities(ca) });
  contexts.set(key, context);
  const [oldest = key] = contexts.keys();
  if (contexts.size > maxContexts) contexts.delete(oldest);
  return context;
}

/** The `ca` option of TLS replaces Node's own authorities, so those are included. */
function trustedAuthorities(ca: string | readonly string[], env: NodeJS.ProcessEnv = process.env): string[] {
  const certificates = [ca].flat();
  if (!certificates.every(isCertificate)) throw unreadable();
  return [...rootCertificates, ...extra(env.NODE_EXTRA_CA_CERTS), ...certificates];
}

/** A file that cannot be read is skipped, as Node does with a warning. */
function extra(file: string | undefined): string[] {
  if (file === undefined || file === '') return [];
  try {
    return [readFileSync(file, 'utf8')];
  } catch {
    return [];
  }
}

function isCertificate(pem: unknown): boolean {
  try {
    return new X509Certificate(pem as string).raw.length > 0;
  } catch {
    return false;
  }
}

const unreadable = (): TenonError =>
  new TenonError('invalid-argument', 'ca contains no valid certificate.', {
    hint: 'Pass the text of a PEM file, which begins with -----BEGIN CERTIFICATE-----, not its path.',
  });
