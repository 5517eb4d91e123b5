import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import styles from './tabs.module.css';

interface TabsProps<Value extends string> {
  /** What the tabs are of; their list's accessible name. */
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  tabs: readonly { value: Value; label: string; count?: number }[];
  /** At the end of the tabs' line. */
  aside?: ReactNode;
  /** `TabPanel`s, one for each tab. */
  children: ReactNode;
  className?: string;
}

/** Panels of which one is shown; arrow keys move between the tabs. */
export function Tabs<Value extends string>(props: TabsProps<Value>) {
  const { label, value, onChange, tabs, aside, children, className = '' } = props;
  return (
    <Base.Root
      value={value}
      onValueChange={(next: Value) => onChange(next)}
      className={`${styles.root} ${className}`}
    >
      <div className={styles.bar}>
        <Base.List className={styles.list} aria-label={label} activateOnFocus>
          {tabs.map((tab) => (
            <Base.Tab key={tab.value} value={tab.value} className={styles.tab}>
              {tab.label}
              {tab.count ? <span className={styles.count}>{tab.count}</span> : null}
            </Base.Tab>
          ))}
        </Base.List>
        {aside}
      </div>
      {children}
    </Base.Root>
  );
}

interface TabPanelProps {
  value: string;
  /** Keeps it in the page while another is shown, for what must not lose its state. */
  keepMounted?: boolean;
  className?: string;
  children: ReactNode;
}

export function TabPanel({ value, keepMounted, className = '', children }: TabPanelProps) {
  return (
    <Base.Panel value={value} keepMounted={keepMounted} className={`${styles.panel} ${className}`}>
      {children}
    </Base.Panel>
  );
}
