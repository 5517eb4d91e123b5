import type { Visibility } from '@vitrine/project';
import Globe from 'lucide-react/icons/globe';
import LinkIcon from 'lucide-react/icons/link';
import Lock from 'lucide-react/icons/lock';

const labels = {
  private: { text: 'Private', Icon: Lock },
  unlisted: { text: 'Unlisted', Icon: LinkIcon },
  public: { text: 'Public', Icon: Globe },
} as const;

/** A project's visibility as an icon and a label. */
export function VisibilityLabel({ visibility }: { visibility: Visibility }) {
  const { text, Icon } = labels[visibility];
  return (
    <>
      <Icon aria-hidden />
      {text}
    </>
  );
}
