/** What an app wants to do, shown in full. Nothing happens before the user allows it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Button } from '../controls/button.tsx';
import { shownValue, visibleText } from '../controls/format.ts';
import { Icon } from '../controls/icon.tsx';

/** A request of an app that needs the consent of the user. */
export interface ConsentRequest {
  readonly id: number;
  readonly text: string;
  readonly details: unknown;
  readonly onAnswer: (isAllowed: boolean) => void;
}

interface ConsentProps {
  readonly requests: readonly ConsentRequest[];
  readonly onAnswered: (request: ConsentRequest) => void;
}

export function Consent({ requests, onAnswered }: ConsentProps) {
  const answer = (request: ConsentRequest, isAllowed: boolean) => (): void => {
    request.onAnswer(isAllowed);
    onAnswered(request);
  };
  return (
    <div aria-live="polite">
      {requests.map((request) => (
        <OneRequest key={request.id} request={request} answer={(isAllowed) => answer(request, isAllowed)} />
      ))}
    </div>
  );
}

/** More than any request has: `ports.ts` refuses longer ones, so that nothing of one is cut. */
const maxShownChars = Number.POSITIVE_INFINITY;

/** A click that was meant for the app must not allow what appears below the pointer. */
const pauseMs = 500;

interface OneRequestProps {
  readonly request: ConsentRequest;
  readonly answer: (isAllowed: boolean) => () => void;
}

function OneRequest({ request, answer }: OneRequestProps) {
  const isReady = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isReady.value = true), pauseMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="question">
      <p class="question-from">
        <Icon name="lock" />
        <span>{visibleText(request.text)}</span>
      </p>
      <p class="mono question-url">{visibleText(shownValue(request.details, maxShownChars))}</p>
      <div class="question-bar">
        <Button variant="primary" onClick={answer(true)} isDisabled={!isReady.value}>
          Allow
        </Button>
        <Button onClick={answer(false)}>Refuse</Button>
      </div>
    </div>
  );
}
