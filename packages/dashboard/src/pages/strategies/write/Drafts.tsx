import { Button } from '../../../parts/Button.tsx'
import { Difference } from '../../../parts/editor/Difference.tsx'
import { Notice } from '../../../parts/Notice.tsx'
import { Time } from '../../../parts/Values.tsx'
import type { Writing } from './draft.ts'
import styles from './write.module.css'

/** What the user should know about their text: where it comes from, and whether someone has saved another one. */
export function Drafts({
  writing: { text, base, theirs, restored },
  isKept,
  isSaving,
  onTakeSaved,
  onKeepMine,
}: {
  writing: Writing
  isKept: boolean
  isSaving: boolean
  onTakeSaved: () => void
  onKeepMine: () => void
}) {
  return (
    <>
      {theirs !== null && (
        <Notice tone="warning">
          <p>
            Version {theirs.version} was saved elsewhere while you wrote. Your text began from version{' '}
            {restored?.version ?? base.version}. Nothing of either is lost yet.
          </p>
          <div className={styles.choice}>
            <Difference label="From theirs to mine" before={theirs.code} after={text} />
            <div className={styles.choices}>
              <Button onClick={onTakeSaved} unavailable={isSaving ? 'The save is under way.' : undefined}>
                Load theirs
              </Button>
              <Button look="danger" isBusy={isSaving} onClick={onKeepMine}>
                Keep mine and save
              </Button>
            </div>
          </div>
        </Notice>
      )}
      {theirs === null && restored !== null && (
        <Notice action={<Button onClick={onTakeSaved}>Discard the draft</Button>}>
          This is your draft of <Time at={restored.at} />. It began from version {restored.version}, which is
          still the saved one.
        </Notice>
      )}
      {!isKept && (
        <Notice tone="warning">
          The browser cannot keep this draft. Save before you close or reload the page.
        </Notice>
      )}
    </>
  )
}
