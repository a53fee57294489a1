import { type ComponentProps, type ReactNode, useId } from 'react'
import { classes } from './classes.ts'
import styles from './field.module.css'

type Common = {
  label: string
  /** What to enter, if the label does not say it. */
  hint?: ReactNode
  /** What is wrong with the value, as the service or the page says. */
  problem?: string | null | undefined
  /** The value is code: shown in the font of code, without help by the keyboard. */
  isCode?: boolean
}

const forCode = { autoCapitalize: 'off', autoCorrect: 'off', spellCheck: false } as const

/** A field of a form with its label, hint and problem. */
export function TextField({
  label,
  hint,
  problem,
  isCode,
  className,
  ...rest
}: Common & ComponentProps<'input'>) {
  return (
    <Frame {...{ label, hint, problem }}>
      {(linked) => (
        <input
          {...(isCode ? forCode : {})}
          {...rest}
          {...linked}
          className={classes(styles.control, isCode && styles.code, className)}
        />
      )}
    </Frame>
  )
}

export function TextArea({
  label,
  hint,
  problem,
  isCode,
  className,
  ...rest
}: Common & ComponentProps<'textarea'>) {
  return (
    <Frame {...{ label, hint, problem }}>
      {(linked) => (
        <textarea
          {...(isCode ? forCode : {})}
          {...rest}
          {...linked}
          className={classes(styles.control, isCode && styles.code, className)}
        />
      )}
    </Frame>
  )
}

type Linked = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

/** Puts label, hint and problem around a control, and links them with it. */
export function Frame({
  label,
  hint,
  problem,
  children,
}: Omit<Common, 'isCode'> & { children: (linked: Linked) => ReactNode }) {
  const id = useId()
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': problem ? true : undefined,
      })}
      {hint && (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      )}
      {problem && (
        <div id={`${id}-problem`} className={styles.problem}>
          {problem}
        </div>
      )}
    </div>
  )
}
