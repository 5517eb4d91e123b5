import { ContextMenu as BaseContext } from '@base-ui/react/context-menu';
import { Menu as Base } from '@base-ui/react/menu';
import Check from 'lucide-react/icons/check';
import { useRef, type ReactElement, type ReactNode } from 'react';
import { Link } from 'react-router';
import styles from './menu.module.css';

interface MenuProps {
  /** The button that opens the menu: a `Button` or `IconButton` with a name. */
  trigger: ReactElement<Record<string, unknown>>;
  align?: 'start' | 'center' | 'end';
  /** The element to focus on close instead of the trigger; null leaves the focus alone. */
  findFinalFocus?: () => HTMLElement | null;
  children: ReactNode;
}

/** A menu under the button that opens it. */
export function Menu({ trigger, align = 'end', findFinalFocus, children }: MenuProps) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={styles.positioner} align={align} sideOffset={4}>
          <Base.Popup
            className={styles.popup}
            {...(findFinalFocus && {
              finalFocus: () => !isMenuOpen() && (findFinalFocus() ?? false),
            })}
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Whether another menu was opened while this one was closing. Taking its focus would close it. */
function isMenuOpen(): boolean {
  return document.querySelector('[role=menu][data-open]') !== null;
}

interface ContextMenuProps {
  /** The element with the menu. It must pass unknown props to its DOM element. */
  target: ReactElement<Record<string, unknown>>;
  /** The element to focus on close if the target has been removed. */
  findFinalFocus?: () => HTMLElement | null;
  children: ReactNode;
}

/** A context menu, opened by right-click, long press or the menu key instead of the browser's. */
export function ContextMenu({ target, findFinalFocus, children }: ContextMenuProps) {
  const popup = useRef<HTMLDivElement>(null);
  const isOpenedByKey = useRef(false);

  function focusFirst(isOpen: boolean): void {
    if (isOpen && isOpenedByKey.current)
      popup.current?.querySelector<HTMLElement>('[role^=menuitem]:not([data-disabled])')?.focus();
  }

  return (
    <BaseContext.Root
      onOpenChange={(_, { event }) => (isOpenedByKey.current = isMenuKeyEvent(event))}
      onOpenChangeComplete={focusFirst}
    >
      <BaseContext.Trigger render={target} />
      <BaseContext.Portal>
        <BaseContext.Positioner className={styles.positioner}>
          <BaseContext.Popup
            ref={popup}
            className={styles.popup}
            finalFocus={() => !isMenuOpen() && (findFinalFocus?.() ?? true)}
          >
            {children}
          </BaseContext.Popup>
        </BaseContext.Positioner>
      </BaseContext.Portal>
    </BaseContext.Root>
  );
}

/**
 * Whether the menu key or Shift+F10 caused the event: Chromium then reports button -1, and Firefox
 * no pointer type.
 */
function isMenuKeyEvent(event: Event): boolean {
  const isContextMenu = event instanceof PointerEvent && event.type === 'contextmenu';
  return isContextMenu && (event.button === -1 || event.pointerType === '');
}

interface ItemProps {
  icon?: ReactNode;
  keys?: string | undefined;
  disabled?: boolean;
  danger?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

/** A menu item that runs an action. */
export function MenuItem({ icon, keys, disabled, danger, onSelect, children }: ItemProps) {
  return (
    <Base.Item
      className={`${styles.item} ${danger ? styles.danger : ''}`}
      disabled={disabled}
      onClick={onSelect}
    >
      <span className={styles.icon}>{icon}</span>
      <span className={styles.label}>{children}</span>
      {keys && <kbd className={styles.keys}>{keys}</kbd>}
    </Base.Item>
  );
}

/** A menu item that navigates. */
export function MenuLink({
  icon,
  to,
  children,
}: {
  icon?: ReactNode;
  to: string;
  children: ReactNode;
}) {
  return (
    <Base.LinkItem className={styles.item} closeOnClick render={<Link to={to} />}>
      <span className={styles.icon}>{icon}</span>
      <span className={styles.label}>{children}</span>
    </Base.LinkItem>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

/** A radio group. The menu stays open, so that the effect is visible. */
export function MenuRadioGroup<Value extends string>({
  label,
  value,
  options,
  onChange,
}: ChoiceProps<Value>) {
  return (
    <Base.Group>
      <Base.GroupLabel className={styles.groupLabel}>{label}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={onChange}>
        {options.map((option) => (
          <Base.RadioItem key={option.value} className={styles.item} value={option.value}>
            <span className={styles.icon}>
              <Base.RadioItemIndicator>
                <Check aria-hidden />
              </Base.RadioItemIndicator>
            </span>
            <span className={styles.label}>{option.label}</span>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}

interface ToggleProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  children: ReactNode;
}

/** A checkbox item. The menu stays open, so that the effect is visible. */
export function MenuCheckboxItem({ isOn, onChange, children }: ToggleProps) {
  return (
    <Base.CheckboxItem className={styles.item} checked={isOn} onCheckedChange={onChange}>
      <span className={styles.icon}>
        <Base.CheckboxItemIndicator>
          <Check aria-hidden />
        </Base.CheckboxItemIndicator>
      </span>
      <span className={styles.label}>{children}</span>
    </Base.CheckboxItem>
  );
}

/** A line between groups of items. */
export function MenuSeparator() {
  return <Base.Separator className={styles.separator} />;
}

/** A line of text that isn't an item, such as the signed-in user's name. */
export function MenuNote({ children }: { children: ReactNode }) {
  return <div className={styles.note}>{children}</div>;
}
