import Plus from 'lucide-react/icons/plus';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link, NavLink, Outlet, useLocation, useNavigation } from 'react-router';
import { DeletionBanner } from '../../account/settings/deletion-banner.tsx';
import { PageCommands } from '../../commands/page-commands.tsx';
import { isInDialog } from '../../commands/palette-keys.ts';
import { ImportHost } from '../../import/import-host.tsx';
import { useViewer } from '../../session/viewer.ts';
import { AccountMenu, VisitorMenu } from './account-menu.tsx';
import { ButtonLink } from '../button.tsx';
import { useHydrated } from '../hydrated.ts';
import { Logo } from './logo.tsx';
import styles from './page.module.css';

export { PageError as ErrorBoundary } from './page-error.tsx';

/** The layout of every page except the workspace. */
export default function Page() {
  return (
    <PageLayout>
      <Outlet />
    </PageLayout>
  );
}

/** The user's header, and the content below it. */
export function PageLayout({ children }: { children: ReactNode }) {
  const busy = useNavigation().state === 'loading';
  const { pathname } = useLocation();
  return (
    <div className={styles.page}>
      <a href="#main" className={styles.skip}>
        Skip to content
      </a>
      <Header />
      <DeletionBanner />
      <main
        ref={useFocusOnNavigation()}
        id="main"
        tabIndex={-1}
        className={styles.main}
        aria-busy={busy || undefined}
      >
        {children}
      </main>
      <PageCommands />
      <ImportHost acceptsDrops={pathname === '/' || pathname === '/new'} />
    </div>
  );
}

/**
 * Moves the focus to the content after a client-side navigation, also from a workspace, as a page
 * load would. A dialog that is open meanwhile keeps it, and so does a field of the new page.
 */
function useFocusOnNavigation() {
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const lastPathname = useRef(useHydrated() ? undefined : pathname);
  useEffect(() => {
    const { activeElement } = document;
    const isTaken = isInDialog(activeElement) || main.current?.matches(':has(input:focus)');
    if (lastPathname.current !== pathname && !isTaken) main.current?.focus({ preventScroll: true });
    lastPathname.current = pathname;
  }, [pathname]);
  return main;
}

function Header() {
  const viewer = useViewer();
  return (
    <header className={styles.bar}>
      <Link to="/" className={styles.home} aria-label="Vitrine, home">
        <Logo />
        <span className={styles.name}>Vitrine</span>
      </Link>
      <nav className={styles.links} aria-label="Main">
        <NavLink to="/work" className={styles.link ?? ''}>
          Your work
        </NavLink>
      </nav>
      <div className={styles.end}>
        <ButtonLink to="/new" size="small" icon={<Plus aria-hidden />}>
          New project
        </ButtonLink>
        {viewer ? <AccountMenu viewer={viewer} /> : <VisitorMenu />}
      </div>
    </header>
  );
}
