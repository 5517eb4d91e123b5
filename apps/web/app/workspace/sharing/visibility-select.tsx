import { findErrorCode, type Visibility } from '@vitrine/project';
import { Select } from '../../ui/select.tsx';
import { showErrorToast } from '../../ui/toast.tsx';
import type { WorkspaceSession } from '../session.ts';
import { useStore } from '../value-store.ts';

/** Visibilities with their meaning for others. */
const visibilityOptions: readonly { value: Visibility; label: string; note: string }[] = [
  { value: 'private', label: 'Private', note: 'Only you and people you invite can view it.' },
  {
    value: 'unlisted',
    label: 'Unlisted',
    note: 'Anyone with the link can view it. It isn’t listed publicly.',
  },
  { value: 'public', label: 'Public', note: 'Anyone can find and view it.' },
];

interface VisibilityChoiceProps {
  session: WorkspaceSession;
  labelled?: boolean;
}

/** Select for a project's visibility. A change applies at once. */
export function VisibilitySelect({ session, labelled = false }: VisibilityChoiceProps) {
  const identity = useStore(session.identity);
  if (identity.kind === 'draft') return null;

  async function change(visibility: Visibility): Promise<void> {
    try {
      await session.setVisibility(visibility);
    } catch (error) {
      showErrorToast(findErrorCode(error));
    }
  }

  return (
    <Select
      label="Visibility"
      labelHidden={!labelled}
      size={labelled ? 'regular' : 'small'}
      value={identity.visibility}
      options={visibilityOptions}
      onChange={(value) => void change(value)}
    />
  );
}
