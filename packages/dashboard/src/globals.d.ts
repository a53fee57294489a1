/** Whether this build is for developers: it then has the gallery. */
declare const IN_DEVELOPMENT: boolean

/** The version of the dashboard, such as `2.1.0`. */
declare const VERSION: string

declare module '*.module.css' {
  const classes: Record<string, string>
  export default classes
}

declare module '*.css' {}
