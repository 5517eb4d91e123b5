import { useCallback, useEffect, useState } from 'react';
import { useFetcher, useLocation, useNavigate } from 'react-router';
import { importRequest } from '../import/import-request.ts';
import { loadDrafts } from '../projects/draft-list.tsx';
import type { loader as listWork } from '../projects/work.tsx';
import { formatWorkUrl } from '../projects/work-query.ts';
import { withNextPath } from '../session/next-path.ts';
import { getProfilePath, useViewer } from '../session/viewer.ts';
import { useSignOut } from '../ui/page/account-menu.tsx';
import { changeTheme } from '../ui/theme/theme.ts';
import type { NamedCommand } from './search-commands.ts';
import { Palette } from './palette.tsx';

interface PageCommand extends NamedCommand {
  run(): void;
}

interface PagePaletteProps {
  isOpen: boolean;
  onClose: () => void;
}

const maxRecent = 5;

/** Command palette with the commands available outside a workspace. */
export default function PagePalette({ isOpen, onClose }: PagePaletteProps) {
  const commands = usePageCommands();
  const recent = useRecent(isOpen);
  return (
    <Palette
      isOpen={isOpen}
      onClose={onClose}
      commands={[...commands, ...recent]}
      onChoose={({ run }) => run()}
    />
  );
}

function usePageCommands(): readonly PageCommand[] {
  const viewer = useViewer();
  const signOut = useSignOut();
  const goTo = useGoTo();
  const { pathname, search } = useLocation();
  const next = pathname.startsWith('/auth/') ? '/' : pathname + search;
  return [
    goTo('newProject', 'New project', '/new'),
    { id: 'import', name: 'Import', run: () => importRequest.set({}) },
    goTo('yourWork', 'Your work', '/work'),
    ...(viewer
      ? [
          goTo('shared', 'Your work: Shared with me', formatWorkUrl({ tab: 'shared' })),
          goTo('collections', 'Your work: Collections', formatWorkUrl({ tab: 'collections' })),
          goTo('drafts', 'Your work: Drafts', formatWorkUrl({ tab: 'drafts' })),
          goTo('trash', 'Your work: Trash', formatWorkUrl({ tab: 'trash' })),
        ]
      : []),
    goTo('home', 'Home', '/'),
    ...(viewer
      ? [
          goTo('publicProfile', 'Profile', getProfilePath(viewer)),
          goTo('profile', 'Settings: Profile', '/settings/profile'),
          goTo('account', 'Settings: Account', '/settings/account'),
          goTo('sessions', 'Settings: Sessions', '/settings/sessions'),
        ]
      : []),
    { id: 'themeSystem', name: 'Theme: System', run: () => changeTheme('system') },
    { id: 'themeLight', name: 'Theme: Light', run: () => changeTheme('light') },
    { id: 'themeDark', name: 'Theme: Dark', run: () => changeTheme('dark') },
    viewer
      ? { id: 'signOut', name: 'Sign out', run: signOut }
      : goTo('signIn', 'Sign in', withNextPath('/auth/sign-in', next)),
  ];
}

/** Recently changed projects and drafts, loaded when the palette opens. */
function useRecent(isOpen: boolean): readonly PageCommand[] {
  const viewer = useViewer();
  const goTo = useGoTo();
  const { load, data } = useFetcher<typeof listWork>();
  const [drafts, setDrafts] = useState<readonly PageCommand[]>([]);
  const owner = viewer?.id ?? null;
  useEffect(() => {
    if (!isOpen) return;
    if (owner !== null) void load('/work');
    const show = async () => {
      const found = await loadDrafts(owner);
      const read = found.status === 'loaded' ? found.drafts : [];
      setDrafts(read.map(({ id, title }) => goTo(id, `Open draft: ${title}`, `/draft/${id}`)));
    };
    void show();
  }, [isOpen, owner, load, goTo]);
  const projects = (data?.projects ?? []).map(({ id, slug, title }) =>
    goTo(id, `Open project: ${title}`, `/@${viewer?.username ?? ''}/${slug}`),
  );
  return [...projects.slice(0, maxRecent), ...drafts.slice(0, maxRecent)];
}

function useGoTo(): (id: string, name: string, address: string) => PageCommand {
  const navigate = useNavigate();
  return useCallback(
    (id, name, address) => ({ id, name, run: () => void navigate(address) }),
    [navigate],
  );
}
