// What was freed stays readable here, so that a lookup that reads it is seen.
#include "../parson.h"
#include <assert.h>
#include <stdlib.h>

static void keep(void *pointer) { (void)pointer; }

int main(void) {
    JSON_Object *object;
    int round;
    json_set_allocation_functions(malloc, keep);
    object = json_value_get_object(json_value_init_object());
    for (round = 0; round < 3; round++) {
        assert(json_object_get_count(object) == 0);
        assert(!json_object_has_value(object, "first"));
        assert(json_object_set_number(object, "first", round) == JSONSuccess);
        assert(json_object_set_number(object, "second", round + 1) == JSONSuccess);
        assert(json_object_get_count(object) == 2);
        assert(json_object_get_number(object, "first") == round);
        assert(json_object_get_number(object, "second") == round + 1);
        assert(json_object_clear(object) == JSONSuccess);
    }
    return 0;
}
