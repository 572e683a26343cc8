/** A page to open: of an elicitation by URL, or of a sign-in. The whole URL is shown, and nothing opens by itself. */
import { Button } from '../../controls/button.tsx';
import { visibleText } from '../../controls/format.ts';
import { isWebUrl } from '../../result/markdown.ts';
import type { AnswerProps } from './answer-props.ts';

export function UrlQuestion({ question, onAnswer }: AnswerProps<'url' | 'sign-in'>) {
  const isElicitation = question.kind === 'url';
  const url = isElicitation ? question.request.url : question.url;
  const host = URL.canParse(url) ? new URL(url).host : url;
  return (
    <div>
      {isElicitation && <p class="question-text">{question.request.message}</p>}
      <p class="question-url mono">{visibleText(url)}</p>
      <div class="question-bar">
        {isWebUrl(url) && (
          <a
            class="button primary"
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            onClick={() => isElicitation && onAnswer({ action: 'accept' })}
          >
            <span>Open {visibleText(host)}</span>
          </a>
        )}
        {isElicitation && <Button onClick={() => onAnswer({ action: 'decline' })}>Decline</Button>}
        <Button variant="quiet" onClick={() => onAnswer({ action: 'cancel' })}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
