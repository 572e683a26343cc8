/** The whole page: locked until the link was opened, then the panes. */
import type { ClientInfo } from '../../../../src/inspector/api.ts';
import { Activity } from '../activity/activity.tsx';
import { Apps } from '../apps/apps.tsx';
import { Connect } from '../connect/connect.tsx';
import { ServerPane } from '../connect/server.tsx';
import { FeatureList } from '../features/list.tsx';
import { PromptPane } from '../features/prompt.tsx';
import { ResourcePane } from '../features/resource.tsx';
import { TaskPane } from '../features/task.tsx';
import { ToolPane } from '../features/tool.tsx';
import { isAsideOpen, isTimelineWhole, narrowPane } from '../state/panes.ts';
import { place } from '../state/place.ts';
import { client, phase } from '../state/store.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { Locked } from './locked.tsx';
import { Notes } from './notes.tsx';
import { Palette } from './palette.tsx';
import { Rail } from './rail.tsx';
import { chosenSizes, Edge } from './split.tsx';
import { Steps } from './steps.tsx';
import { Top } from './top.tsx';

export function App() {
  if (phase.value === 'starting') return <div class="starting" role="status" aria-label="Opening" />;
  if (phase.value === 'locked') return <Locked />;
  const { section, name } = place.value;
  const hasList = client.value !== undefined && ['tools', 'resources', 'prompts', 'apps'].includes(section);
  // A narrow screen shows the list or the pane: of a client without lists, the pane has what there is to do.
  const hasItem = name !== undefined || isStopped(client.value) || client.value?.state === 'closed';
  const classes = [
    'page',
    `pane-${narrowPane.value}`,
    hasList ? 'with-list' : '',
    hasItem ? 'with-item' : '',
    isAsideOpen.value ? 'with-aside' : '',
    isTimelineWhole.value ? 'timeline-whole' : '',
  ];
  return (
    <div class={classes.join(' ')} style={chosenSizes()}>
      <Top />
      <div class="strips">
        <Notes />
        <Steps />
      </div>
      <Rail />
      {hasList && <FeatureList />}
      {hasList && <Edge pane="list" />}
      <main class="main">
        <Section />
      </main>
      <Activity />
      <Edge pane="aside" />
      <Edge pane="timeline" />
      <Timeline />
      <Palette />
    </div>
  );
}

/** A client that failed or signs in has no lists: why it failed, and the steps of the sign-in, are what matters. */
const isStopped = (shown: ClientInfo | undefined): boolean =>
  shown !== undefined && shown.state !== 'ready' && (shown.error !== undefined || shown.auth.length > 0);

function Section() {
  const { section } = place.value;
  const shown = client.value;
  if (section === 'connect' || shown === undefined) return <Connect />;
  if (isStopped(shown)) return <ServerPane client={shown} />;
  switch (section) {
    case 'tools':
      return <ToolPane client={shown} />;
    case 'resources':
      return <ResourcePane client={shown} />;
    case 'prompts':
      return <PromptPane client={shown} />;
    case 'apps':
      return <Apps client={shown} />;
    case 'server':
      return <ServerPane client={shown} />;
    case 'tasks':
      return <TaskPane client={shown} />;
  }
}
