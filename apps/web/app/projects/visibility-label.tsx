import type { Visibility } from '@vitrine/project';
import Globe from 'lucide-react/icons/globe';
import LinkIcon from 'lucide-react/icons/link';
import Lock from 'lucide-react/icons/lock';

const labels = {
  private: { word: 'Private', Icon: Lock },
  unlisted: { word: 'Unlisted', Icon: LinkIcon },
  public: { word: 'Public', Icon: Globe },
} as const;

/** Who sees a project, as an icon and a word. */
export function VisibilityLabel({ visibility }: { visibility: Visibility }) {
  const { word, Icon } = labels[visibility];
  return (
    <>
      <Icon aria-hidden />
      {word}
    </>
  );
}
