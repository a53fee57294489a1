import { type ComponentProps, type ReactNode, useId } from 'react'
import styles from './choices.module.css'
import { classes } from './classes.ts'
import { Frame } from './Field.tsx'
import control from './field.module.css'

type Common = { label: string; hint?: ReactNode; problem?: string | null | undefined }

/** A field with a list of choices. `children` are its options. */
export function SelectField({
  label,
  hint,
  problem,
  className,
  children,
  ...rest
}: Common & ComponentProps<'select'>) {
  return (
    <Frame {...{ label, hint, problem }}>
      {(linked) => (
        <select {...rest} {...linked} className={classes(control.control, className)}>
          {children}
        </select>
      )}
    </Frame>
  )
}

/** A choice between yes and no. */
export function CheckField({
  label,
  hint,
  problem,
  ...rest
}: Omit<Common, 'label'> & { label: ReactNode } & Omit<ComponentProps<'input'>, 'type'>) {
  const id = useId()
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div className={styles.check}>
      <input
        {...rest}
        id={id}
        type="checkbox"
        aria-describedby={described || undefined}
        aria-invalid={problem ? true : undefined}
      />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <div id={`${id}-hint`} className={control.hint}>
          {hint}
        </div>
      )}
      {problem && (
        <div id={`${id}-problem`} className={control.problem}>
          {problem}
        </div>
      )}
    </div>
  )
}

/** One of few choices, all of them in sight. */
export function RadioFields<Value extends string>({
  legend,
  name,
  choices,
  value,
  onChange,
}: {
  legend: string
  name: string
  choices: readonly { value: Value; text: ReactNode; hint?: ReactNode; unavailable?: string | null }[]
  value: Value
  onChange: (value: Value) => void
}) {
  const id = useId()
  return (
    <fieldset className={styles.radios}>
      <legend>{legend}</legend>
      {choices.map(({ value: own, text, hint, unavailable }) => (
        <div key={own} className={styles.check}>
          <input
            id={`${id}-${own}`}
            type="radio"
            name={name}
            value={own}
            checked={own === value}
            disabled={Boolean(unavailable)}
            aria-describedby={`${id}-${own}-hint`}
            onChange={() => onChange(own)}
          />
          <label htmlFor={`${id}-${own}`}>{text}</label>
          <div id={`${id}-${own}-hint`} className={control.hint}>
            {unavailable ?? hint}
          </div>
        </div>
      ))}
    </fieldset>
  )
}

/** Fields that belong together, beside each other where there is room. */
export function FieldGroup({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend>{title}</legend>
      <div className={styles.fields}>{children}</div>
    </fieldset>
  )
}

/** Fields that few people need: only their title is in sight until it is opened, or one of them has a problem. */
export function FoldedGroup({
  title,
  isOpen,
  children,
}: {
  title: string
  isOpen: boolean
  children: ReactNode
}) {
  return (
    <details className={styles.folded} open={isOpen || undefined}>
      <summary>{title}</summary>
      <div className={styles.fields}>{children}</div>
    </details>
  )
}

/** For fields that need the whole width of their group. */
export function WholeRow({ children }: { children: ReactNode }) {
  return <div className={styles.whole}>{children}</div>
}
