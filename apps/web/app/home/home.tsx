import { Link } from 'react-router';
import { importRequest } from '../import/import-request.ts';
import { ExampleCards } from '../projects/example-cards.tsx';
import { listExamples } from '../projects/examples.server.ts';
import { listOwnProjects } from '../projects/own-projects.server.ts';
import { ProjectList } from '../projects/project-list.tsx';
import { requestContext } from '../request-context.ts';
import { useViewer } from '../session/viewer.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { useHydrated } from '../ui/hydrated.ts';
import { useRowFocus } from '../ui/lists/row-focus.ts';
import { loadable } from '../ui/loadable.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import type { Route } from './+types/home';
import styles from './home.module.css';

// The editor and the preview are most of this page's script, and load after it is shown.
const Demo = loadable(async () => ({ default: (await import('./demo.tsx')).Demo }), {
  fallback: <DemoPlaceholder />,
});

export const meta: Route.MetaFunction = () => [
  { title: 'Vitrine' },
  {
    name: 'description',
    content:
      'A self-hosted code playground. Write HTML, CSS, and JavaScript, see it run as you type, and share it.',
  },
];

const recentCount = 6;

/** Featured examples, picked for variety: a canvas, only CSS, sound, a site. */
const featured = ['murmuration', 'lighthouse', 'sequencer', 'mandelbrot', 'specimen', 'snake'];

export async function loader({ context }: Route.LoaderArgs) {
  const { examples } = listExamples();
  return {
    projects: await listOwnProjects(context.get(requestContext), recentCount),
    examples: featured.flatMap((slug) => examples.find((example) => example.slug === slug) ?? []),
  };
}

export default function Home({ loaderData: { projects, examples } }: Route.ComponentProps) {
  const viewer = useViewer();
  const recent = useRowFocus<HTMLElement>();
  return (
    <>
      {viewer && (
        <section ref={recent} className={styles.section} aria-label="Recent work">
          <div className={styles.head}>
            <h1 className={styles.heading}>Recent work</h1>
            <div className={styles.actions}>
              <Link to="/work" className={styles.all}>
                All your work
              </Link>
              <Button size="small" onClick={() => importRequest.set({})}>
                Import
              </Button>
            </div>
          </div>
          {projects.length > 0 ? (
            <ProjectList projects={projects} username={viewer.username ?? ''} />
          ) : (
            <EmptyState title="No projects yet. Start from a template or an example.">
              <ButtonLink to="/new" variant="primary">
                New project
              </ButtonLink>
            </EmptyState>
          )}
        </section>
      )}
      {!viewer && <Welcome />}
      <section className={styles.section} aria-label="Examples">
        <div className={styles.head}>
          <h2 className={styles.heading}>Examples</h2>
          <Link to="/new" className={styles.all}>
            All examples
          </Link>
        </div>
        <ExampleCards label="Examples" examples={examples} />
      </section>
    </>
  );
}

/** The home page's introduction for visitors, with a live demo. */
function Welcome() {
  const hydrated = useHydrated();
  return (
    <div className={styles.welcome}>
      <div className={styles.start}>
        <div>
          <h1 className={styles.title}>
            A self-hosted code playground. Edit the code and see it run.
          </h1>
          <p className={styles.intro}>
            Fork this example to keep your changes on this device. You only need an account to save
            and share.
          </p>
        </div>
        <Button size="small" onClick={() => importRequest.set({})}>
          Import
        </Button>
      </div>
      <div className={styles.demo}>{hydrated ? <Demo /> : <DemoPlaceholder />}</div>
    </div>
  );
}

/** Shown until the demo's script has loaded. */
function DemoPlaceholder() {
  return (
    <div className={styles.placeholder} aria-hidden>
      {['62%', '38%', '54%', '46%', '30%', '58%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  );
}
