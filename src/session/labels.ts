// Labels of the service's own; the one that starts work is a setting.

/** On an issue, it asks for the plan first, whatever the settings say. */
export const PLAN_LABEL = 'issuewright:plan';
/** On an issue while people can answer a question there. */
export const QUESTION_LABEL = 'issuewright:question';
