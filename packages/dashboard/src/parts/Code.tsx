import styles from './code.module.css'
import { CopyButton } from './Secret.tsx'
import { Foreign } from './Values.tsx'

/** Text in the font of code, as it is, with a button that copies it. */
export function Code({ text, name, canCopy = true }: { text: string; name: string; canCopy?: boolean }) {
  return (
    <figure className={styles.figure}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.code} tabIndex={0} aria-label={name}>
        <pre>
          <Foreign text={text} keepLines />
        </pre>
      </section>
      {canCopy && (
        <div className={styles.copy}>
          <CopyButton text={text} name={name} />
        </div>
      )}
    </figure>
  )
}
