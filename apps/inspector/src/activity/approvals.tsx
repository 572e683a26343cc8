/** Approvals that wait for the user of this page: exactly which calls, and the decision. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApiError, WaitingApproval } from '../../../../src/inspector/api.ts';
import { call, errorOf } from '../api/call.ts';
import { Button } from '../controls/button.tsx';
import { shownTime, visibleText } from '../controls/format.ts';
import { Icon } from '../controls/icon.tsx';
import { ErrorNotice } from '../controls/notice.tsx';
import { known } from '../state/store.ts';

/** They are decided elsewhere, too: no event has them. */
const everyMs = 2000;

export function Approvals() {
  const { approver } = known.value;
  const waiting = useSignal<readonly WaitingApproval[]>([]);
  const error = useSignal<ApiError | undefined>(undefined);
  const look = async (): Promise<void> => {
    // A backend that does not answer is shown elsewhere.
    const found = await call('approvals', {}).catch(() => undefined);
    if (found !== undefined) waiting.value = found.approvals;
  };
  useEffect(() => {
    if (approver === undefined) return;
    void look();
    const timer = setInterval(() => void look(), everyMs);
    return () => clearInterval(timer);
  }, [approver]);
  if (approver === undefined) return null;
  const decide = (approval: string, decision: 'approve' | 'deny'): void => {
    error.value = undefined;
    void call('decide', { approval, decision })
      .catch((thrown: unknown) => (error.value = errorOf(thrown)))
      .then(look);
  };
  return (
    <section class="aside-part" aria-label="Approvals">
      <h2>Approvals {waiting.value.length > 0 && <span class="count">{waiting.value.length}</span>}</h2>
      {waiting.value.length === 0 && <p class="faint">Calls that {visibleText(approver)} can approve appear here.</p>}
      <div aria-live="polite">
        {waiting.value.map((one) => (
          <OneApproval key={one.id} approval={one} onDecide={(decision) => decide(one.id, decision)} />
        ))}
      </div>
      {error.value !== undefined && <ErrorNotice error={error.value} />}
    </section>
  );
}

function OneApproval({
  approval,
  onDecide,
}: {
  readonly approval: WaitingApproval;
  readonly onDecide: (decision: 'approve' | 'deny') => void;
}) {
  const { id, tool, server, caller, expiresAt, validated } = approval;
  return (
    <article class="question" aria-label={`Approval ${id}`}>
      <p class="question-from">
        <Icon name="lock" />
        <span>
          <strong>{visibleText(tool)}</strong> of {visibleText(server)}, called by{' '}
          {caller === undefined ? 'a caller who has not signed in' : visibleText(caller)}
        </span>
      </p>
      <pre class="question-url mono">{approval.arguments}</pre>
      {validated !== undefined && (
        <details>
          <summary>With defaults and conversions</summary>
          <pre class="question-url mono">{validated}</pre>
        </details>
      )}
      <div class="question-bar">
        <Button variant="primary" onClick={() => onDecide('approve')}>
          Approve once
        </Button>
        <Button onClick={() => onDecide('deny')}>Deny</Button>
      </div>
      <p class="faint">
        {id}, until {shownTime(expiresAt)}
      </p>
    </article>
  );
}
