/** The rail of sections at the left; on a narrow screen the bar at the bottom. */
import { Icon, type IconName } from '../controls/icon.tsx';
import { isAsideOpen, isNarrow, narrowPane, type Pane, showPane, toggleAside } from '../state/panes.ts';
import { choose, place, type Section } from '../state/place.ts';
import { client, questions } from '../state/store.ts';

/** In the order of their shortcuts. */
export const sections: readonly (readonly [Section & IconName, string])[] = [
  ['tools', 'Tools'],
  ['resources', 'Resources'],
  ['prompts', 'Prompts'],
  ['apps', 'Apps'],
  ['server', 'Server'],
];

export function Rail() {
  return (
    <nav class="rail" aria-label="Sections">
      {sections.map(([section, text]) => (
        <SectionButton key={section} section={section} text={text} />
      ))}
      <ActivityButton />
      {isNarrow.value && (
        <button type="button" class={hereIf('timeline')} onClick={() => showPane('timeline')}>
          <Icon name="timeline" />
          <span>Timeline</span>
        </button>
      )}
    </nav>
  );
}

const hereIf = (pane: Pane): string | undefined => (narrowPane.value === pane ? 'here' : undefined);

function SectionButton({ section, text }: { readonly section: Section & IconName; readonly text: string }) {
  const isHere = place.value.section === section && narrowPane.value === 'section';
  const go = (): void => {
    // A second press goes back to the list.
    if (isHere && isNarrow.value) choose({ name: undefined });
    else choose({ section });
    showPane('section');
  };
  return (
    <button
      type="button"
      aria-current={place.value.section === section ? 'page' : undefined}
      class={isHere ? 'here' : undefined}
      disabled={client.value === undefined}
      onClick={go}
    >
      <Icon name={section} />
      <span>{text}</span>
    </button>
  );
}

/** Questions, tasks and the log: a pane of its own on a narrow screen, a column that is opened and closed on others. */
function ActivityButton() {
  const count = questions.value.length;
  return (
    <button
      type="button"
      class={isNarrow.value ? hereIf('activity') : 'rail-activity'}
      aria-expanded={isNarrow.value ? undefined : isAsideOpen.value}
      onClick={() => (isNarrow.peek() ? showPane('activity') : toggleAside())}
    >
      <Icon name="activity" />
      <span>Activity</span>
      {count > 0 && (
        <span class="count" role="img" aria-label={count === 1 ? '1 question waits' : `${count} questions wait`}>
          {count}
        </span>
      )}
    </button>
  );
}
