import { type ButtonHTMLAttributes, type ReactNode, useState } from 'react'
import styles from './button.module.css'
import { classes } from './classes.ts'

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'disabled'> & {
  children: ReactNode
  /** `primary`: what most people do next, once on a page. `danger`: it spends or deletes. `quiet`: no frame. */
  look?: 'plain' | 'primary' | 'danger' | 'quiet'
  /** The action is under way: the button cannot be pressed again, and keeps its width. */
  isBusy?: boolean
  /** Why it cannot be pressed now. The button stays, can be focused, and says this. */
  unavailable?: string | null | undefined
  /** For a button with only an icon. */
  isSquare?: boolean
}

/** The longest time between the two clicks of a double click, as the systems have it. */
const doubleClickMs = 500

/** A button. What cannot be done now is shown as such, with the reason, and not hidden. */
export function Button({
  look = 'plain',
  isBusy = false,
  unavailable,
  isSquare = false,
  type = 'button',
  className,
  onClick,
  onKeyDown,
  children,
  ...rest
}: ButtonProps) {
  const isOff = isBusy || Boolean(unavailable)
  // What sends or spends does so once for a double click, also if its answer comes between the two clicks.
  const isOnce = type === 'submit' || look === 'primary' || look === 'danger'
  const [shownAt] = useState(() => performance.now())
  return (
    <button
      {...rest}
      type={type}
      className={classes(
        styles.button,
        look !== 'plain' && styles[look],
        isSquare && styles.square,
        className,
      )}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      title={unavailable ?? rest.title}
      onKeyDown={(event) => {
        // Enter that is held was meant for the button that opened this, or has been heard already.
        if (event.key === 'Enter' && event.repeat) event.preventDefault()
        onKeyDown?.(event)
      }}
      onClick={(event) => {
        // The second half of a double click was meant for the button that was here before.
        const isRepeat = event.detail > 1 && (isOnce || event.timeStamp - shownAt < doubleClickMs)
        // `disabled` would take the focus away, and with it the reason.
        if (isOff || isRepeat) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {children}
    </button>
  )
}

/** For a link that looks like a button: it leads to a page where something is done. */
export function buttonClass(look: 'plain' | 'primary' = 'plain'): string {
  return classes(styles.button, look === 'primary' && styles.primary)
}
