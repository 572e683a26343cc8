/** A sign-in, step by step: what was requested, what was found, by which rule, and what follows. */
import type { ClientInfo } from '../../../../src/inspector/api.ts';

export const AuthSteps = ({ steps }: { readonly steps: ClientInfo['auth'] }) => (
  <section aria-label="Sign-in">
    <h3>Sign-in</h3>
    <ol class="auth-steps">
      {steps.map(({ step, url, status, found, rule, next }, at) => (
        <li key={at} class={next === 'stop' ? 'bad' : undefined}>
          <p>
            <strong>{step}</strong> {status !== undefined && <span class="chip">{status}</span>}
          </p>
          {url !== undefined && <p class="mono faint">{url}</p>}
          <p>{found}</p>
          <p class="faint">
            {rule} → {next}
          </p>
        </li>
      ))}
    </ol>
  </section>
);
