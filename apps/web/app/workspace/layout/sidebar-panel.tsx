import X from 'lucide-react/icons/x';
import type { ReactNode } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import type { LayoutController } from './layout-controller.ts';
import styles from './sidebar-panel.module.css';

interface SidebarPanelProps {
  title: string;
  layout: LayoutController;
  /** Buttons next to the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** Panel in the sidebar. On a phone it has a close button. */
export function SidebarPanel({ title, layout, actions, children }: SidebarPanelProps) {
  const id = `${title.toLowerCase().replaceAll(' ', '-')}-panel`;
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id} className={styles.title}>
          {title}
        </h2>
        {actions}
        <IconButton
          label={`Close ${title} panel`}
          size="small"
          className={styles.close}
          onClick={() => layout.showSidebar(null)}
        >
          <X aria-hidden />
        </IconButton>
      </div>
      {children}
    </section>
  );
}
