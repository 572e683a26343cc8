/** Signing in for a client of the inspector: the page shows the address, and a port of this machine receives the redirect. */
import { oauth } from '../../auth/client/oauth.ts';
import type { PreparedSignIn, SignIn } from '../../auth/client/sign-in.ts';
import type { AuthStep } from '../../auth/client/steps.ts';
import type { ClientAuth } from '../../client/http/port/client-auth.ts';
import { TenonError } from '../../lib/errors/tenon-error.ts';
import { terminalSignIn } from '../../node/credentials/terminal-sign-in.ts';
import type { CredentialStore } from '../../store/credential-store.ts';
import type { Questions } from './questions.ts';

export interface SignInPorts {
  readonly questions: Questions;
  readonly credentials: CredentialStore;
  /** Gets each step as it happens. */
  readonly onStep: (step: AuthStep) => void;
}

export const authFor = (client: string, { questions, credentials, onStep }: SignInPorts): ClientAuth =>
  oauth({
    signIn: pageSignIn(client, questions),
    store: credentials,
    explain: onStep,
    clientMetadata: { name: 'Tenon Inspector' },
  });

function pageSignIn(client: string, questions: Questions): SignIn {
  const listening = terminalSignIn({ openBrowser: false, onUrl: () => {} });
  return {
    async prepare(signal, registered): Promise<PreparedSignIn> {
      const prepared = await listening.prepare(signal, registered);
      return { ...prepared, authorize: (url, waiting) => authorize(prepared, url, waiting) };
    },
  };

  /** The redirect ends it, or the page does. */
  async function authorize(prepared: PreparedSignIn, url: URL, signal: AbortSignal): Promise<URL> {
    const redirected = new AbortController();
    const cancelled = new AbortController();
    const asked = questions
      .ask({ client, runs: [] }, { kind: 'sign-in', url: url.href }, AbortSignal.any([signal, redirected.signal]))
      .then(() => cancelled.abort(refused()))
      .catch(() => {});
    try {
      return await prepared.authorize(url, AbortSignal.any([signal, cancelled.signal]));
    } finally {
      redirected.abort();
      await asked;
    }
  }
}

const refused = (): TenonError =>
  new TenonError('cancelled', 'The sign-in was cancelled in the inspector.', { hint: 'Connect again to sign in.' });
