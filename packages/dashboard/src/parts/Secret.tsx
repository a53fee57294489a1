import { Check, Copy, Eye, EyeOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './Button.tsx'
import styles from './secret.module.css'

/**
 * A text that gives access to anyone who has it: hidden until someone asks for it.
 * @param isShownAtFirst for one that was just made, which its owner has to copy
 */
export function Secret({
  text,
  name,
  isShownAtFirst = false,
}: {
  text: string
  name: string
  isShownAtFirst?: boolean
}) {
  const [isShown, setShown] = useState(isShownAtFirst)
  const Icon = isShown ? EyeOff : Eye
  return (
    <div className={styles.secret}>
      <code className={styles.text}>{isShown ? text : '•'.repeat(24)}</code>
      <Button
        look="quiet"
        isSquare
        aria-label={isShown ? `Hide the ${name}` : `Show the ${name}`}
        onClick={() => setShown(!isShown)}
      >
        <Icon aria-hidden />
      </Button>
      <CopyButton text={text} name={name} />
    </div>
  )
}

/** Copies a text, and says for two seconds that it did. */
export function CopyButton({ text, name }: { text: string; name: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null)
  useEffect(() => {
    if (outcome === null) return
    const timer = setTimeout(() => setOutcome(null), 2000)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () => {
    // Without HTTPS, a page may have no clipboard.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject()
    written.then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    )
  }
  return (
    <>
      <Button look="quiet" isSquare aria-label={`Copy the ${name}`} onClick={copy}>
        {outcome === 'copied' ? <Check aria-hidden /> : <Copy aria-hidden />}
      </Button>
      <span role="status" className={styles.outcome}>
        {outcome === 'copied' && 'Copied'}
        {outcome === 'failed' && 'The browser does not let this page copy: select the text instead.'}
      </span>
    </>
  )
}
