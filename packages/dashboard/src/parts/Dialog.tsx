import { type ReactNode, useEffect, useId, useRef } from 'react'
import { classes } from './classes.ts'
import styles from './dialog.module.css'

/**
 * A dialog above the page. The browser keeps the focus inside, and Escape closes it.
 * @param onClose called by Escape; without it, the dialog stays until its owner takes it away
 */
export function Dialog({
  title,
  children,
  onClose,
  isWide = false,
}: {
  title: string
  children: ReactNode
  onClose?: (() => void) | undefined
  isWide?: boolean
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const element = dialog.current!
    const before = document.activeElement
    if (!element.open) element.showModal()
    return () => {
      element.close()
      // By now, React has taken the dialog out of the document, and browsers give the focus back only before that.
      const next = before?.isConnected && before !== document.body ? before : document.querySelector('main')
      if (next instanceof HTMLElement) next.focus({ preventScroll: true })
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      className={classes(styles.dialog, isWide && styles.wide)}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onClose={() => {
        const element = dialog.current
        if (element === null || element.open) return
        // Browsers let a second Escape close a dialog that the first could not, and say so only afterwards.
        if (onClose === undefined) element.showModal()
        else onClose()
      }}
    >
      <div className={styles.body}>
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}

/** The buttons at the end of a dialog or a form: the one that does it comes last. */
export function Buttons({ children }: { children: ReactNode }) {
  return <div className={styles.buttons}>{children}</div>
}
