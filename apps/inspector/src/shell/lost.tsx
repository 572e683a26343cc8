/** Says that the backend does not answer, and how to go on. The page tries again by itself. */
import { Icon } from '../controls/icon.tsx';
import { link } from '../state/store.ts';

export function Lost() {
  if (link.value !== 'lost') return null;
  return (
    <div class="lost" role="status">
      <Icon name="warning" />
      <div>
        <p>
          <strong>The program that serves this page does not answer.</strong>
        </p>
        <p class="soft">If it has ended, start it again. What is shown here stays until it answers.</p>
      </div>
    </div>
  );
}
