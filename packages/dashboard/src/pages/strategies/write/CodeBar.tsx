import { count, formatBytes, formatNumber } from '../../../base/numbers.ts'
import { Button } from '../../../parts/Button.tsx'
import { classes } from '../../../parts/classes.ts'
import type { Mark } from '../../../parts/editor/editor-types.ts'
import { codeByteLimit, codeBytes } from './code-size.ts'
import type { Saved } from './draft.ts'
import styles from './write.module.css'

/** What is true of the code now: whether it is saved, what is wrong with it, how large it is. */
export function CodeBar({
  text,
  base,
  isChanged,
  hasConflict,
  isSaving,
  isSaved,
  problems,
  onSave,
  onShow,
}: {
  text: string
  base: Saved
  isChanged: boolean
  hasConflict: boolean
  isSaving: boolean
  /** The last save has succeeded. */
  isSaved: boolean
  /** `null`: not checked yet. */
  problems: readonly Mark[] | null
  onSave: () => void
  onShow: (offset: number) => void
}) {
  const errors = problems?.filter(({ severity }) => severity === 'error') ?? []
  const bytes = codeBytes(text)
  const isTooLarge = bytes > codeByteLimit
  const unavailable = hasConflict
    ? 'Someone else has saved. Choose below which code to keep.'
    : isChanged
      ? undefined
      : 'There is nothing to save.'
  return (
    <div className={styles.bar}>
      <span role="status" className={classes(styles.state, isChanged && styles.changed)}>
        {stateText({ isChanged, isSaving, isSaved, version: base.version })}
      </span>
      {errors[0] !== undefined && (
        <Button look="quiet" className={styles.problem} onClick={() => onShow(errors[0]!.from)}>
          {count(errors.length, 'problem')}
        </Button>
      )}
      <span
        className={classes(styles.size, isTooLarge && styles.problem)}
        title={`${formatNumber(bytes)} of ${formatNumber(codeByteLimit)} bytes`}
      >
        {formatBytes(bytes)} of {formatBytes(codeByteLimit)}
      </span>
      <Button look="primary" isBusy={isSaving} unavailable={unavailable} onClick={onSave}>
        Save
      </Button>
    </div>
  )
}

function stateText({
  isChanged,
  isSaving,
  isSaved,
  version,
}: {
  isChanged: boolean
  isSaving: boolean
  isSaved: boolean
  version: number
}): string {
  if (isSaving) return 'Saving'
  if (isChanged) return `Not saved, from version ${version}`
  return isSaved ? `Saved as version ${version}` : `Version ${version}`
}
