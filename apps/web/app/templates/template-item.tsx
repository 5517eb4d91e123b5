import Eye from 'lucide-react/icons/eye';
import { useId } from 'react';
import { IconButton } from '../ui/icon-button.tsx';
import styles from './template-item.module.css';
import type { Template } from './template.ts';

interface TemplateItemProps {
  template: Template;
  isSelected: boolean;
  /** Called when the pointer or the focus comes to it. */
  onSelect: () => void;
  onOpen: () => void;
  /** Opens the preview where there is no room for one beside the list. */
  onPreview: () => void;
}

/** A template in the list: the button that opens it, named by its title, covers the item. */
export function TemplateItem(props: TemplateItemProps) {
  const { template, isSelected, onSelect, onOpen, onPreview } = props;
  const { title, description, author, needsRegistry } = template;
  const note = useId();
  return (
    <div
      className={styles.item}
      data-selected={isSelected || undefined}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && onSelect()}
    >
      <TemplateMark template={template} />
      <span className={styles.text}>
        <button
          type="button"
          className={styles.title}
          aria-describedby={note}
          data-template-button
          onFocus={onSelect}
          onClick={onOpen}
        >
          <bdi>{title}</bdi>
        </button>
        <span id={note} className={styles.note}>
          {description}
          {author !== null && <span className={styles.author}> By {author}.</span>}
          {needsRegistry && ' Downloads its packages from npm the first time.'}
        </span>
      </span>
      <span className={styles.preview}>
        <IconButton label={`Preview ${title}`} size="small" onClick={onPreview}>
          <Eye aria-hidden />
        </IconButton>
      </span>
    </div>
  );
}

/** Letters that stand for a template. Decorative, because its title is next to it. */
export function TemplateMark({ template: { mark }, size }: { template: Template; size?: 'large' }) {
  return (
    <span className={`${styles.mark} ${size === 'large' ? styles.large : ''}`} aria-hidden>
      {mark}
    </span>
  );
}
